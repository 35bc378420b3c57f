import { isCommonPassword } from '../../../server/contract/auth/common-passwords.ts'
import styles from './password-strength.module.css'

export type PasswordStrengthResult = { level: 0 | 1 | 2 | 3; label: string }

/** Estimates the strength of a password. For display only; the server decides what it rejects. */
export function getPasswordStrength(password: string, personalTexts: readonly string[] = []): PasswordStrengthResult {
  if (password === '') return { level: 0, label: '' }
  const lowercase = password.toLowerCase()
  if (password.length < 6) return { level: 1, label: '太短' }
  if (isCommonPassword(lowercase)) return { level: 1, label: '太常见，容易被猜到' }
  if (personalTexts.some((one) => one.length > 1 && lowercase.includes(one.toLowerCase())))
    return { level: 1, label: '含有手机号或企业名称' }
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/, /[^ -~]/].filter((kind) => kind.test(password)).length
  const points = Number(password.length >= 8) + Number(password.length >= 12) + Math.min(2, kinds - 1)
  return points >= 3 ? { level: 3, label: '强' } : points === 2 ? { level: 2, label: '中等' } : { level: 1, label: '弱' }
}

/** The strength meter below a new password: three bars with a label, and the one rule that every page states. */
export function PasswordStrengthMeter(props: { password: string; about?: readonly string[]; hint: string }) {
  const { password, about: personalTexts = [], hint } = props
  const { level, label } = getPasswordStrength(password, personalTexts)
  return (
    <div data-strength className={styles.root}>
      <div data-level={level}>
        <i />
        <i />
        <i />
        <span aria-live="polite">{label && `密码强度：${label}`}</span>
      </div>
      <p>{hint}</p>
    </div>
  )
}
