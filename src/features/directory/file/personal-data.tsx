import { Button } from 'antd'
import { useState } from 'react'
import { download } from '../../../../server/contract/files/files.ts'
import { exportMemberData } from '../../../../server/contract/payslips/member-data.ts'
import { eraseMemberData, type StoredByLaw } from '../../../../server/contract/retention/member-data.ts'
import { createIdempotencyKey, downloadFile, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatDate } from '../../../components/value/dates.ts'
import { isIdentityRequired, withIdentityProof } from '../../auth/account/identity-proof.ts'
import type { MemberFile } from './labels.ts'

const storedLabels: Readonly<Record<StoredByLaw, string>> = {
  payslips: '工资条和签收凭证（工资支付暂行规定）',
  tax_basis: '身份证号、专项附加扣除、社保公积金和变更记录（专项附加扣除操作办法）',
  tax_results: '个税计算结果（税收征收管理法实施细则）',
  roster: '姓名、手机号和任职时间（与以上记录对应）',
}

/** What a person may ask the company for: a copy of their data, and after leaving its deletion. */
export function MemberPersonalData({ member }: { member: MemberFile }) {
  const [isErasing, setErasing] = useState(false)
  const exportFile = useCallMutation(exportMemberData, {
    handles: isIdentityRequired,
    onSuccess: ({ oss_path, file_name, slips }) => {
      downloadFile(download, { oss_path, file_name })
      toast.success(`已导出，含 ${slips} 张工资条；只交给本人`)
    },
  })
  return (
    <section className="ui-card" aria-labelledby="file-personal-data">
      <h2 id="file-personal-data">个人信息</h2>
      <div className="ui-stack">
        <p className="ui-hint">
          本人要求查阅、复制或删除时使用，都会留下操作记录。
          {member.STATUS !== 'left' && '在职期间不能删除。'}
        </p>
        <div className="ui-row">
          <Button
            loading={exportFile.isPending}
            onClick={() => void withIdentityProof(() => exportFile.mutateAsync({ id: member.ID })).catch(() => undefined)}
          >
            导出全部资料
          </Button>
          {member.STATUS === 'left' && (
            <Button danger onClick={() => setErasing(true)}>
              删除个人信息
            </Button>
          )}
        </div>
      </div>
      {isErasing && <EraseDialog member={member} onClose={() => setErasing(false)} />}
    </section>
  )
}

/** Mounted only while open: it says what goes, and afterwards what stays and until when. */
function EraseDialog({ member, onClose }: { member: MemberFile; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const erase = useCallMutation(eraseMemberData, { key, handles: isIdentityRequired })
  const { data } = erase
  return (
    <ConfirmDialog
      open
      title={data ? '已删除' : `删除 ${member.NAME} 的个人信息？`}
      action={data ? '知道了' : '删除'}
      danger={!data}
      busy={erase.isPending}
      onConfirm={() =>
        data ? onClose() : void withIdentityProof(() => erase.mutateAsync({ id: member.ID })).catch(() => undefined)
      }
      onClose={onClose}
    >
      {data ? (
        <>
          <p>{data.stored.length > 0 ? '按法律要求继续保存：' : '没有法律要求继续保存的资料。'}</p>
          <ul>
            {data.stored.map(({ kind, until }) => (
              <li key={kind}>
                {storedLabels[kind]}，至少到 {formatDate(until)}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          银行卡号、邮箱、原手机号、办公平台关联和邀请立即删除，不能恢复。法律要求保存的工资和个税记录继续保存，删除后会列出期限。
        </p>
      )}
    </ConfirmDialog>
  )
}
