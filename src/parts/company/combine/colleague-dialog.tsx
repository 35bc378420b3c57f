import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { combinePlatform } from '../../../../server/contract/people/binding.ts'
import type { resolveColleague } from '../../../../server/contract/people/colleagues.ts'
import { useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { MemberPicker, type PickedPerson } from '../../member/member-picker.tsx'
import { groundWords } from '../platform/words.ts'
import styles from './combine.module.css'
import { aboutOf, PersonThere } from './person-there.tsx'
import type { ColleagueView } from './use-colleagues.ts'

/** Somebody of the platform, and who he is here so far. */
export type AskedColleague = OutputOf<typeof resolveColleague>
type Props = { asked: AskedColleague; shown: ColleagueView; onDone: () => void; onClose: () => void }

/** Who of the whole roster somebody of the platform is: a person says so. */
export function ColleagueDialog({ asked: { platform_user, linked_by, linked_to }, shown, onDone, onClose }: Props) {
  const [picked, setPicked] = useState<PickedPerson[]>([])
  const [person] = picked
  const decide = useCall(combinePlatform, {
    onSuccess: () => {
      toast.done('已对应')
      onDone()
      onClose()
    },
  })
  const isProved = linked_by === 'proved'
  return (
    <Dialog
      open
      title={isProved ? '这个账号已由本人确认' : '这个账号是花名册里的谁？'}
      {...(isProved
        ? { result: { text: '知道了', onPress: onClose } }
        : {
            action: person ? `是${person.NAME}` : '是这个人',
            verdict: person ? true : '请先在花名册里选择',
            busy: decide.isPending,
            onConfirm: () =>
              person &&
              decide.mutate({ decisions: [{ platform_user_id: platform_user.platform_user_id, member_id: person.ID }] }),
          })}
      onClose={onClose}
    >
      <div className={styles.asked}>
        <small>平台</small>
        <PersonThere person={platform_user} shown={shown} />
        {linked_to && linked_by && (
          <p>
            {isProved ? '对应' : '现在对应'} <strong>{linked_to.name}</strong> {aboutOf(linked_to)}（{groundWords[linked_by]}）
          </p>
        )}
      </div>
      {isProved ? (
        <p className="ui-hint">本人登录过，不能改成别人。如果账号确实换了人，请在平台上停用旧账号，再由新的员工登录一次。</p>
      ) : (
        <MemberPicker everybody label="花名册" value={picked} onChange={setPicked} />
      )}
    </Dialog>
  )
}
