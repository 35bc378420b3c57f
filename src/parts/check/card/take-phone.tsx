import { editMemberInfo } from '../../../../server/contract/people/member.ts'
import type { Problem } from '../../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'

/** Whose phone in the roster becomes the one of his row. */
export type NewPhone = { readonly person: Problem['candidates'][number]; readonly mobile: string }

/** The roster takes the phone of the sheet, by the same call and under the same rules as on the roster's own page. */
export function TakePhone({ wish, onClose }: { wish: NewPhone | null; onClose: () => void }) {
  const change = useCall(editMemberInfo, {
    onSuccess: () => {
      toast.done('花名册已改用此号码')
      onClose()
    },
  })
  const { person, mobile } = wish ?? { person: { member_id: '', name: '', mobile_masked: '' }, mobile: '' }
  return (
    <ConfirmDialog
      open={wish !== null}
      title={`花名册里「${person.name}」改用此号码？`}
      action={`改用 ${mobile}`}
      busy={change.isPending}
      onConfirm={() => change.mutate({ id: person.member_id, mobile })}
      onClose={onClose}
    >
      <p>
        花名册里的 {person.mobile_masked} 会换成表里的 {mobile}。
      </p>
      <p>用过原号码的人，要由本人确认新号码后才能看到工资条；只是表里写错了号码的，请改表里的单元格。</p>
    </ConfirmDialog>
  )
}
