/** Codes of an authenticator app (TOTP, RFC 6238), each valid once. */
import { Secret, TOTP } from 'otpauth'

const period_s = 30
/** Tolerates phone clocks that are one step off in either direction. */
const steps_off = 1

/** Creates the generator of six-digit codes that change every 30 seconds. */
export const createTotp = (secret: Buffer): TOTP =>
  new TOTP({ issuer: '薪函', secret: new Secret({ buffer: new Uint8Array(secret).buffer }), digits: 6, period: period_s })

/** Returns the time step of a code; null where it matches none near `now`. The caller accepts only one code per step. */
export function findTotpStep(secret: Buffer, code: string, now: Date): number | null {
  const off = createTotp(secret).validate({ token: code, timestamp: now.getTime(), window: steps_off })
  return off === null ? null : Math.floor(now.getTime() / 1000 / period_s) + off
}
