import { useQuery } from '@tanstack/react-query'
import { confirmPrivacyNotice, getPrivacyNotice } from '../../../../../server/contract/retention/privacy-notice.ts'
import { type RetentionKind, retentionKinds } from '../../../../../server/contract/retention/retention.ts'
import { callQuery, useCallMutation } from '../../../../api.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../../components/value/dates.ts'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'

const kindLabels: Readonly<Record<RetentionKind, string>> = {
  audit_log: '查看和修改的记录',
  sign_in_log: '登录记录',
  sheet_file: '工资表原文件',
  export_file: '导出的文件',
  payslip: '工资条',
  terminated_member: '身份证号、银行卡号等资料离职后',
}
/** Names the kinds with a term that the company has set; the others have none. */
function formatTerms(rules: Partial<Record<RetentionKind, number | null>>): string {
  const terms = retentionKinds.flatMap((kind) => (rules[kind] ? [`${kindLabels[kind]}保存 ${rules[kind]} 个月`] : []))
  const isComplete = terms.length === retentionKinds.length
  const rest = terms.length === 0 ? '公司没有设置期限，保存到不再需要为止' : '其余保存到不再需要为止'
  return [...terms, ...(isComplete ? [] : [rest])].join('；')
}

/** Who processes the employee's data, what for, for how long, and their rights (个人信息保护法, article 17). */
export function PrivacyNoticeSheet({ onClose }: { onClose: () => void }) {
  const notice = useQuery(callQuery(getPrivacyNotice, {}))
  const confirm = useCallMutation(confirmPrivacyNotice, { affects: [getPrivacyNotice] })
  const { data } = notice
  return (
    <BottomSheet open title="个人信息处理说明" onClose={onClose}>
      {data ? (
        <>
          <p>
            <strong>谁在处理：</strong>
            {data.corp_name}。本系统受公司委托，只按公司的要求处理。
          </p>
          <p>
            <strong>处理什么、为了什么：</strong>
            姓名、手机号、工号、部门，用来登录和找到本人；工资明细，用来核对和发放工资条；身份证号、银行卡号（公司填写时），只用来核对本人和申报个税。金额、证件和卡号加密保存，不出现在短信、邮件和聊天消息里。
          </p>
          <p>
            <strong>保存多久：</strong>
            工资记录法律要求至少保存 2 年；{formatTerms(data.rules)}。
          </p>
          <p>
            <strong>您的权利：</strong>
            在「我的」可以下载全部资料、查看谁看过您的工资条；信息有误或要求删除，请联系公司的薪酬管理员，法律要求保存的除外。
          </p>
          {data.read_at && <p className="ui-label">您已于 {formatDateTime(data.read_at)} 阅读</p>}
          <div className={styles.sheetActions}>
            <button
              type="button"
              className={`ui-button ${styles.button} ${data.read_at ? '' : styles.primary}`}
              disabled={confirm.isPending}
              // Nobody is kept from reading because the record cannot be written: the notice appears again another time.
              onClick={() => (data.read_at ? onClose() : confirm.mutate({}, { onSettled: onClose }))}
            >
              {data.read_at ? '关闭' : '我知道了'}
            </button>
          </div>
        </>
      ) : notice.error ? (
        <>
          <ErrorState error={notice.error} retry={() => void notice.refetch()} />
          <div className={styles.sheetActions}>
            <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
              关闭
            </button>
          </div>
        </>
      ) : (
        <Skeleton rows={6} />
      )}
    </BottomSheet>
  )
}
