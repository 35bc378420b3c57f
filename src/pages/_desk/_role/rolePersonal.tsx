import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { getUserList } from '../../../../server/contract/corp/role.ts'
import { holders, type Power } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { Admins, adminsQuery } from '../../../parts/role/admins.tsx'
import styles from '../../../parts/role/role.module.css'
import { adminSearchOf } from '../../../parts/role/search.ts'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'

export const Route = createFileRoute('/_desk/_role/rolePersonal')({
  staticData: { title: '企业管理员', section: 'role', who: holders('1') },
  validateSearch: adminSearchOf,
  loader: ({ route, location }) =>
    first(route, () => [begin(adminsQuery(adminSearchOf(location.search), '1')), begin(headsQuery)]),
  component: RolePersonal,
})

const headsQuery = query(getUserList, { power: '4', page: 1, pagesize: 10 })

function RolePersonal() {
  return (
    <Admins
      title="企业管理员"
      only="1"
      explains={['1', '4']}
      search={Route.useSearch()}
      empty="还没有单独的企业管理员，由系统管理员代为管理。"
    >
      {(mine, start) => <Head mine={mine} onHandOver={() => start({ what: 'hand-over' })} />}
    </Admins>
  )
}

/** The system manager: there is always one, and only he hands it over. */
function Head({ mine, onHandOver }: { mine: readonly Power[]; onHandOver: () => void }) {
  const asked = useQuery(headsQuery)
  const heads = asked.data?.list ?? []
  if (heads.length === 0 && !asked.isLoading) return null
  return (
    <section className={`ui-card ${styles.head}`} aria-labelledby="role-head">
      <h2 id="role-head">系统管理员</h2>
      <p>
        {asked.isLoading && <span aria-hidden="true">…</span>}
        {heads.map((head) => (
          <span key={head.user_id}>
            <strong>{head.name}</strong>
            {head.me && <small>（我）</small>} <span className="ui-nowrap">{head.mobile_masked}</span>
          </span>
        ))}
      </p>
      <Act verdict={mine.includes('4') || '只有系统管理员本人可以移交'} onClick={onHandOver}>
        移交系统管理员
      </Act>
    </section>
  )
}
