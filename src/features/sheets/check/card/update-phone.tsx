import { editMemberInfo } from '../../../../../server/contract/directory/members.ts'
import type { Issue } from '../../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../../api.ts'
import { ConfirmDialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'

/** The candidate whose phone in the roster is replaced by that of the row. */
export type PhoneUpdate = { readonly candidate: Issue['candidates'][number]; readonly mobile: string }

/** Writes the phone of the wage sheet into the roster, with the same call and rules as the roster page. */
export function UpdatePhoneDialog({ options: update, onClose }: { options: PhoneUpdate | null; onClose: () => void }) {
  const change = useCallMutation(editMemberInfo, {
    onSuccess: () => {
      toast.success('花名册已改用此号码')
      onClose()
    },
  })
  const { candidate, mobile } = update ?? { candidate: { member_id: '', name: '', mobile_masked: '' }, mobile: '' }
  return (
    <ConfirmDialog
      open={update !== null}
      title={`花名册里「${candidate.name}」改用此号码？`}
      action={`改用 ${mobile}`}
      busy={change.isPending}
      onConfirm={() => change.mutate({ id: candidate.member_id, mobile })}
      onClose={onClose}
    >
      <p>
        花名册里的 {candidate.mobile_masked} 会换成表里的 {mobile}。
      </p>
      <p>用过原号码的人，要由本人确认新号码后才能看到工资条；只是表里写错了号码的，请改表里的单元格。</p>
    </ConfirmDialog>
  )
}
