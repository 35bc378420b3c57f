import { type FormEvent, useState } from 'react'
import { setEarlyPassword, updatePassword } from '../../../../server/contract/account.ts'
import { ApiError, useCall } from '../../../api.ts'
import { PasswordStrength } from '../../../ui/password/password-strength.tsx'
import { toast } from '../../../ui/toast.ts'
import { leaveIn } from '../../account/leave.ts'
import { earlyProblem, type FieldProblem, messages, passwordHint, redirectSeconds, resetProblem } from '../../account/messages.ts'
import { Field } from '../field.tsx'
import styles from '../m.module.css'
import { Sheet } from '../sheet.tsx'

const nothing = { old_password: '', password: '', confirm_password: '' }
type Name = keyof typeof nothing
/** The desk's dialogs say the same (spec §5); how long a password must be is the server's to say. */
const options = { unchecked: true, handles: () => true }

/** 修改密码, or the first one while there is none. */
export function PasswordSheet({ first, onClose }: { first: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState(nothing)
  const [problem, setProblem] = useState<FieldProblem<Name> | null>(null)
  const change = useCall(updatePassword, options)
  const set = useCall(setEarlyPassword, options)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = first ? earlyProblem(typed) : resetProblem(typed)
    setProblem(found)
    if (found || change.isPending || set.isPending) return
    const { old_password, ...fresh } = typed
    try {
      if (first) await set.mutateAsync(fresh)
      else await change.mutateAsync({ old_password, ...fresh })
    } catch (error) {
      return setProblem(problemOf(error))
    }
    toast.done(first ? messages.early.done : messages.reset.done)
    if (!first) leaveIn(redirectSeconds)
    onClose()
  }
  const word = first ? '登录密码' : '新密码'
  const field = (name: Name, label: string, autoComplete: string) => ({
    label,
    type: 'password',
    autoComplete,
    maxLength: 64,
    value: typed[name],
    error: problem?.field === name ? problem.text : undefined,
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })
  return (
    <Sheet open title={first ? '设置登录密码' : '修改密码'} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        {!first && <Field {...field('old_password', '原密码', 'current-password')} />}
        <Field {...field('password', word, 'new-password')} />
        <PasswordStrength password={typed.password} hint={passwordHint} />
        <Field {...field('confirm_password', `确认${word}`, 'new-password')} />
        {!first && <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <button
            type="submit"
            className={`ui-button ${styles.button} ${styles.primary}`}
            disabled={change.isPending || set.isPending}
          >
            {first ? '设置密码' : '修改密码'}
          </button>
        </div>
      </form>
    </Sheet>
  )
}

/** A refusal at its field; one without, and a lost network, under the last. */
function problemOf(error: unknown): FieldProblem<Name> {
  const named = error instanceof ApiError ? error.field : undefined
  const field = named === 'old_password' || named === 'password' ? named : 'confirm_password'
  return { field, text: error instanceof Error ? error.message : String(error) }
}
