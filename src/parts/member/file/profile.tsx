import { Button } from 'antd'
import type { ReactNode } from 'react'
import { showIdCard } from '../../../../server/contract/people/file.ts'
import { useCall } from '../../../api.ts'
import { day } from '../../../ui/dates.ts'
import type { MemberFile } from './words.ts'
import { spanOf } from './words.ts'

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children || '—'}</dd>
  </div>
)

/** What the roster says of him. */
export const Profile = ({ member, keeps }: { member: MemberFile; keeps: boolean }) => (
  <section className="ui-card" aria-labelledby="file-profile">
    <h2 id="file-profile">资料</h2>
    <dl className="file-facts">
      <Line name="手机号">{member.MOBILE}</Line>
      <Line name="邮箱">{member.EMAIL}</Line>
      <Line name="部门">{member.DEPARTMENTS.map(({ NAME }) => NAME).join('、')}</Line>
      <Line name="岗位">{member.POSITION}</Line>
      <Line name="工号">{member.EMPLOYEE_NO}</Line>
      <Line name="入职日期">{day(member.ENTRY_DATE)}</Line>
      {member.LEFT_ON && <Line name="离职日期">{day(member.LEFT_ON)}</Line>}
      {member.BANK_ACCOUNT_MASKED && <Line name="银行卡号">{member.BANK_ACCOUNT_MASKED}</Line>}
      <Line name="身份证号">{member.ID_CARD_MASKED && <IdCard member={member} keeps={keeps} />}</Line>
    </dl>
  </section>
)

/** Masked; whoever keeps people may read it, and that stands in the file from then on. */
function IdCard({ member, keeps }: { member: MemberFile; keeps: boolean }) {
  const show = useCall(showIdCard)
  if (show.data?.id_card) return <span className="ui-nowrap">{show.data.id_card}</span>
  return (
    <span className="ui-row">
      <span className="ui-nowrap">{member.ID_CARD_MASKED}</span>
      {keeps && (
        <Button
          type="link"
          className="file-show"
          loading={show.isPending}
          title="查看会在变更记录里留下一条"
          onClick={() => show.mutate({ id: member.ID })}
        >
          查看完整号码
        </Button>
      )}
    </span>
  )
}

/** His times here; one line for most people. */
export const Employment = ({ member }: { member: MemberFile }) => (
  <section className="ui-card" aria-labelledby="file-employment">
    <h2 id="file-employment">任职经历</h2>
    <ol className="file-times">
      {member.EMPLOYMENT.map((one) => (
        <li key={one.ID} aria-current={one.ID === member.ID || undefined}>
          <strong className="ui-nowrap">{spanOf(one)}</strong>
          <span>{[one.DEPARTMENTS.map(({ NAME }) => NAME).join('、'), one.POSITION].filter(Boolean).join(' · ') || '—'}</span>
        </li>
      ))}
    </ol>
  </section>
)
