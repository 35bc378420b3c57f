/** The features that a company may use, and until when. */
export const trialDays = 30
/** Messages available to a company during the trial. */
export const trialMessageCount = 100

export const getDaysRemaining = (until: Date | null, now: Date): number =>
  until ? Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 86_400_000)) : 0

/** 10: on trial, and this administrator has not dismissed the explanation · 20: on trial · 0: not on trial (any more). */
export function getTrialStatus(trial_until: Date | null, closed_at: Date | null, now: Date): 0 | 10 | 20 {
  if (!trial_until || trial_until <= now) return 0
  return closed_at ? 20 : 10
}
