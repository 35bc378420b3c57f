import { Button } from 'antd'
import { showIdCard } from '../../../../server/contract/people/file.ts'
import { useCall } from '../../../api.ts'
import { Fact, Facts } from '../../../ui/facts/facts.tsx'
import { day } from '../../../ui/value/dates.ts'
import styles from './file.module.css'
import type { MemberFile } from './words.ts'
import { spanOf } from './words.ts'

/** What the roster says of him. */
export const Profile = ({ member, keeps }: { member: MemberFile; keeps: boolean }) => (
  <section className="ui-card" aria-labelledby="file-profile">
    <h2 id="file-profile">资料</h2>
    <Facts>
      <Fact name="手机号">{member.MOBILE || '没有手机号'}</Fact>
      <Fact name="邮箱">{member.EMAIL}</Fact>
      <Fact name="部门">{member.DEPARTMENTS.map(({ NAME }) => NAME).join('、')}</Fact>
      <Fact name="岗位">{member.POSITION}</Fact>
      <Fact name="工号">{member.EMPLOYEE_NO}</Fact>
      <Fact name="入职日期">{day(member.ENTRY_DATE)}</Fact>
      {member.LEFT_ON && <Fact name="离职日期">{day(member.LEFT_ON)}</Fact>}
      {member.BANK_ACCOUNT_MASKED && <Fact name="银行卡号">{member.BANK_ACCOUNT_MASKED}</Fact>}
      <Fact name="身份证号">{member.ID_CARD_MASKED && <IdCard member={member} keeps={keeps} />}</Fact>
    </Facts>
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
          className={styles.show}
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
    <ol className={styles.times}>
      {member.EMPLOYMENT.map((one) => (
        <li key={one.ID} aria-current={one.ID === member.ID || undefined}>
          <strong className="ui-nowrap">{spanOf(one)}</strong>
          <span>{[one.DEPARTMENTS.map(({ NAME }) => NAME).join('、'), one.POSITION].filter(Boolean).join(' · ') || '—'}</span>
        </li>
      ))}
    </ol>
  </section>
)
