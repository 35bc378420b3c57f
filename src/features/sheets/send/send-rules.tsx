import { InputNumber, Switch } from 'antd'
import type * as z from 'zod/mini'
import type { payslipRules } from '../../../../server/contract/payslips/send.ts'
import styles from '../send.module.css'

export type PayslipRules = z.infer<typeof payslipRules>
type RuleFlag = Exclude<keyof PayslipRules, 'burn_after_minutes'>

const ruleFlags: readonly { name: RuleFlag; label: string; description: string }[] = [
  { name: 'confirm', label: '确认工资条', description: '员工看完后点「确认」，您能看到谁还没有确认' },
  { name: 'feedback', label: '员工反馈', description: '员工对金额有疑问时可以直接留言' },
  { name: 'view_password', label: '查看前验证身份', description: '员工 10 分钟内输入过密码或验证码才能看到金额' },
  { name: 'watermark', label: '水印', description: '工资条上印有员工姓名和手机尾号，防止截图外传' },
]

/** The payslip rules of this batch; the company's settings are the defaults. */
export function SendRules({ rules: value, onChange }: { rules: PayslipRules; onChange: (rules: PayslipRules) => void }) {
  const closesAfterView = value.burn_after_minutes > 0
  return (
    <section className="ui-card ui-stack" aria-labelledby="rules">
      <div>
        <h2 id="rules">这一批的选项</h2>
        <p className="ui-hint">开始时与「工资条设置」相同，在这里改只影响这一批</p>
      </div>
      <ul className={styles.rules}>
        {ruleFlags.map(({ name, label, description }) => (
          <li key={name}>
            <Switch checked={value[name]} aria-label={label} onChange={(isOn) => onChange({ ...value, [name]: isOn })} />
            <p>
              {label}
              <small>{description}</small>
            </p>
          </li>
        ))}
        <li>
          <Switch
            checked={closesAfterView}
            aria-label="阅后即焚"
            onChange={(isOn) => onChange({ ...value, burn_after_minutes: isOn ? 60 : 0 })}
          />
          <p>
            阅后即焚
            <small>
              {closesAfterView ? (
                <>
                  员工第一次打开后{' '}
                  <InputNumber
                    size="small"
                    aria-label="多少分钟后关闭"
                    min={1}
                    max={43_200}
                    precision={0}
                    style={{ width: 88 }}
                    value={value.burn_after_minutes}
                    onChange={(minutes) => minutes && onChange({ ...value, burn_after_minutes: minutes })}
                  />{' '}
                  分钟关闭，之后不能再看
                </>
              ) : (
                '员工第一次打开后过一段时间就不能再看'
              )}
            </small>
          </p>
        </li>
      </ul>
    </section>
  )
}
