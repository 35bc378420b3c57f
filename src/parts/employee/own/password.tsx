import { setEarlyPassword, updatePassword } from '../../../../server/contract/account/account.ts'
import { ApiError, useCall } from '../../../api.ts'
import { PasswordStrength } from '../../../ui/form/password-strength.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { leaveIn } from '../../account/leave.ts'
import { earlyProblem, messages, passwordHint, redirectSeconds, resetProblem } from '../../account/messages.ts'
import { Field, problemAt, usePhoneForm } from '../form.tsx'
import styles from '../m.module.css'
import { Sheet } from '../sheet.tsx'

const nothing = { old_password: '', password: '', confirm_password: '' }
/** The desk's dialogs say the same (spec §5); how long a password must be is the server's to say. */
const options = { unchecked: true, handles: () => true }

/** 修改密码, or the first one while there is none. */
export function PasswordSheet({ first, onClose }: { first: boolean; onClose: () => void }) {
  const change = useCall(updatePassword, options)
  const set = useCall(setEarlyPassword, options)
  const { typed, busy, form, field } = usePhoneForm(nothing, {
    check: (given) => (first ? earlyProblem(given) : resetProblem(given)),
    send: async ({ old_password, ...fresh }) => {
      if (first) await set.mutateAsync(fresh)
      else await change.mutateAsync({ old_password, ...fresh })
      toast.done(first ? messages.early.done : messages.reset.done)
      if (!first) leaveIn(redirectSeconds)
      onClose()
    },
    refused,
  })
  const word = first ? '登录密码' : '新密码'
  const secret = { type: 'password', maxLength: 64 }
  return (
    <Sheet open title={first ? '设置登录密码' : '修改密码'} onClose={onClose}>
      <form {...form}>
        {!first && <Field label="原密码" autoComplete="current-password" {...secret} {...field('old_password')} />}
        <Field label={word} autoComplete="new-password" {...secret} {...field('password')} />
        <PasswordStrength password={typed.password} hint={passwordHint} />
        <Field label={`确认${word}`} autoComplete="new-password" {...secret} {...field('confirm_password')} />
        {!first && <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
            {first ? '设置密码' : '修改密码'}
          </button>
        </div>
      </form>
    </Sheet>
  )
}

/** A refusal at its field; one without, and a lost network, under the last. */
function refused(error: unknown) {
  const named = error instanceof ApiError ? error.field : undefined
  return problemAt(named === 'old_password' || named === 'password' ? named : 'confirm_password', error)
}
