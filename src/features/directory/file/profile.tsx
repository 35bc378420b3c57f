import { Button } from 'antd'
import { revealIdCard } from '../../../../server/contract/directory/member-history.ts'
import { useCallMutation } from '../../../api.ts'
import { DetailItem, DetailList } from '../../../components/details/detail-list.tsx'
import { formatDate } from '../../../components/value/dates.ts'
import styles from './file.module.css'
import type { MemberFile } from './labels.ts'
import { formatEmploymentPeriod } from './labels.ts'

/** The member's roster data and employment periods. */
export const MemberProfile = ({ member, keeps: canEdit }: { member: MemberFile; keeps: boolean }) => (
  <section className="ui-card" aria-labelledby="file-profile">
    <h2 id="file-profile">资料</h2>
    <DetailList>
      <DetailItem name="手机号">{member.MOBILE || '没有手机号'}</DetailItem>
      <DetailItem name="邮箱">{member.EMAIL}</DetailItem>
      <DetailItem name="部门">{member.DEPARTMENTS.map(({ NAME }) => NAME).join('、')}</DetailItem>
      <DetailItem name="岗位">{member.POSITION}</DetailItem>
      <DetailItem name="工号">{member.EMPLOYEE_NO}</DetailItem>
      <DetailItem name="入职日期">{formatDate(member.ENTRY_DATE)}</DetailItem>
      {member.TERMINATED_ON && <DetailItem name="离职日期">{formatDate(member.TERMINATED_ON)}</DetailItem>}
      {member.BANK_ACCOUNT_MASKED && <DetailItem name="银行卡号">{member.BANK_ACCOUNT_MASKED}</DetailItem>}
      <DetailItem name="身份证号">{member.ID_CARD_MASKED && <IdCardNumber member={member} keeps={canEdit} />}</DetailItem>
    </DetailList>
    <EmploymentHistory member={member} />
  </section>
)

/** The masked ID number; users who may edit the roster can reveal it, which is recorded in the member file. */
function IdCardNumber({ member, keeps: canEdit }: { member: MemberFile; keeps: boolean }) {
  const reveal = useCallMutation(revealIdCard)
  if (reveal.data?.id_card) return <span className="ui-nowrap">{reveal.data.id_card}</span>
  return (
    <span className="ui-row">
      <span className="ui-nowrap">{member.ID_CARD_MASKED}</span>
      {canEdit && (
        <Button
          type="link"
          className={styles.show}
          loading={reveal.isPending}
          title="查看会在变更记录里留下一条"
          onClick={() => reveal.mutate({ id: member.ID })}
        >
          查看完整号码
        </Button>
      )}
    </span>
  )
}

/** The member's employment periods, which take one line for most members. */
const EmploymentHistory = ({ member }: { member: MemberFile }) => (
  <div className={styles.employment}>
    <h3>任职经历</h3>
    <ol className={styles.times}>
      {member.EMPLOYMENT.map((period) => (
        <li key={period.ID} aria-current={period.ID === member.ID || undefined}>
          <strong className="ui-nowrap">{formatEmploymentPeriod(period)}</strong>
          <span>
            {[period.DEPARTMENTS.map(({ NAME }) => NAME).join('、'), period.POSITION].filter(Boolean).join(' · ') || '—'}
          </span>
        </li>
      ))}
    </ol>
  </div>
)
