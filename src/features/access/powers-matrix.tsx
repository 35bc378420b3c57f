import { type Power, powerLabels } from '../../../server/contract/access.ts'
import { Icon } from '../../components/icon.tsx'
import { tasks } from './rights.ts'
import styles from './role.module.css'

const columns: readonly Power[] = ['4', '1', '2', '3']
const reachLabels = { company: '全公司', scope: '管理范围内' } as const

/** What each power allows, and how far it reaches. */
export const PowersMatrix = () => (
  <section className="ui-card" aria-labelledby="role-matrix">
    <h2 id="role-matrix">权限对照</h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard. */}
    <div className={styles.matrix} role="region" aria-labelledby="role-matrix" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">能做什么</th>
            {columns.map((power) => (
              <th key={power} scope="col">
                {powerLabels[power]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.values(tasks).map(({ label, reach }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {columns.map((power) => (
                <MatrixCell key={power} reach={(reach as Partial<Record<Power, keyof typeof reachLabels>>)[power]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <p className="ui-hint">
      一个人可以有几种权限，取其合计。企业管理员总是管理全公司；薪酬和员工管理员的管理范围可以是全公司或几个部门。
    </p>
  </section>
)

const MatrixCell = ({ reach }: { reach: keyof typeof reachLabels | undefined }) => (
  <td data-not={reach === undefined || undefined}>
    {reach ? (
      <span>
        <Icon name="check" size={16} />
        {reachLabels[reach]}
      </span>
    ) : (
      <>
        <span aria-hidden>—</span>
        <span className="sr-only">不能</span>
      </>
    )}
  </td>
)
