import { type Strength, strengthOf, strengthSteps, strengthWords } from './strength.ts'
import './account.css'

const tones: Record<Strength, string> = { short: 'danger', weak: 'warn', fair: 'info', strong: 'ok' }

/** Under a new password: a bar of three, and the words that say the same. */
export function StrengthMeter({ password }: { password: string }) {
  if (!password) return null
  const strength = strengthOf(password)
  const reached = strengthSteps.indexOf(strength)
  return (
    <div className="strength" data-tone={tones[strength]}>
      <span className="strength-bar" aria-hidden="true">
        {strengthSteps.slice(1).map((step, at) => (
          <i key={step} data-on={at < reached || undefined} />
        ))}
      </span>
      <span role="status">密码强度 {strengthWords[strength]}</span>
    </div>
  )
}
