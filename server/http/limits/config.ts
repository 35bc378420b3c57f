/**
 * Every limit on requests, by its mechanism: token buckets in memory, attempts counted in the database, concurrency
 * limits, and what protects the process from overload (docs/decisions/20261129-use-four-kinds-of-request-limits.md).
 * A limit names its unit, and its comment the key it counts by and the reason.
 */
import type { RateLimitClass } from '../../contract/call.ts'

const minute = 60
const quarterHour = 900
const hour = 3_600
const day = 86_400
const mb = 1024 * 1024

/**
 * 1. Token buckets (`rate-limits.ts`), requests per minute. By account; by the client's address while the caller has
 * not proved an account.
 */
export const rateLimits = {
  /** A person with several tabs needs a tenth of it. */
  normal: 600,
  /** Reads a batch or a file. */
  costly: 120,
  /**
   * Its input can be guessed; the attempts below are counted as well. By address only failures count, and what is still
   * running: two hundred colleagues sign in within a minute, and one in four mistypes.
   */
  guess: 60,
  /**
   * All calls that need no account, by address: an office of two hundred people opens the sign-in page, which makes a
   * dozen of them, within a minute.
   */
  anonymous: 2_400,
  /**
   * Refused calls of callers without an account, by address: asked before anything is looked up. An office whose
   * sessions all ended needs one per open page.
   */
  refused: 600,
  /**
   * Refusals of any kind to callers without an account, by address: beyond it connections are closed without an answer
   * (`flood-guard.ts`). Two hundred pages that repeat each of six shed calls three times make 3,600.
   */
  flood: 4_000,
} as const satisfies Record<RateLimitClass | 'anonymous' | 'refused' | 'flood', number>
/** Keys held in memory; the one unused for the longest time is dropped, which fills its bucket. */
export const maxTokenBuckets = 50_000
/** Signed-in callers remembered by this process, who stand in their own limits before they are looked up again. */
export const maxProvenCallers = 50_000

/** 2. Attempts (`attempts.ts`): at most `max` within the last `window_s` seconds, counted in the database. */
export type AttemptLimit = { readonly max: number; readonly window_s: number }
export const attemptLimits = {
  /** Wrong passwords, by address: an office behind one address mistypes, and who signs in is not counted. */
  passwordByAddress: { max: 300, window_s: hour },
  /** Passwords, by phone, or by the browser in which its owner has signed in: strangers cannot lock the owner out. */
  password: { max: 10, window_s: quarterHour },
  passwordPerDay: { max: 100, window_s: day },
  /** The current password of a signed-in account, by account. */
  currentPassword: { max: 10, window_s: quarterHour },
  /** Codes of the second factor, by account: six digits. */
  secondFactor: { max: 5, window_s: quarterHour },
  /** The name on the roster as proof of a reassigned phone, by account: names are few. */
  ownerName: { max: 5, window_s: day },
  /** Sign-ins through a chat platform that the platform did not confirm, by address. */
  platformSignInByAddress: { max: 300, window_s: hour },
  /** Failed links between a platform user and an account, by address. */
  platformLinkByAddress: { max: 60, window_s: hour },
  /** Companies registered by one account. */
  companyRegistration: { max: 3, window_s: day },
  /** Client errors written to the log, by address and by session. */
  clientLogByAddress: { max: 200, window_s: 10 * minute },
  clientLogBySession: { max: 20, window_s: 10 * minute },
  /** Invitations opened, by address: a whole office within an hour; a code has 128 bits. */
  inviteByAddress: { max: 600, window_s: hour },
  /** Join requests of which a company is notified. */
  joinRequestByCompany: { max: 20, window_s: day },
  /** Proofs before a payslip is shown, by account. */
  viewProof: { max: 5, window_s: quarterHour },
  /** Proofs of an employee whose phone was replaced, by member. */
  formerPhone: { max: 5, window_s: quarterHour },
  formerPhonePerDay: { max: 20, window_s: day },
  /** Exports of one's own data, by account: each reads all payslips. */
  ownDataExport: { max: 10, window_s: hour },
  /** Receipts verified, by address: a bank's counter sends many, and a receipt is signed. */
  receiptByAddress: { max: 600, window_s: hour },
  /**
   * Operators' passwords and codes, by name, or by the browser or network of the operator's earlier sessions; and by
   * address.
   */
  operatorByName: { max: 5, window_s: quarterHour },
  operatorByAddress: { max: 30, window_s: quarterHour },
  /** Keys with which an operator is set up, by address. */
  operatorKeyByAddress: { max: 20, window_s: quarterHour },
} as const satisfies Record<string, AttemptLimit>

/** Events of which the operator or a user hears once within this time (`isFirstInWindow`), in seconds. */
export const notificationIntervals = {
  /** A session's token without its cookie, by session: a thief who keeps trying must not flood the log. */
  stolenToken: hour,
  /** Codes to unknown phones refused by their budget: it may be an attack on the SMS bill. */
  unknownPhoneCodes: hour,
  /** A join request, by company and phone. */
  joinRequest: day,
} as const

/** Budgets of codes sent to phones (`modules/auth/phone/code-budgets.ts`), counted like attempts. */
export const codeLimits = {
  /**
   * A phone receives at most ten codes a day, regardless of the requester; strangers can use nine of the ten, over all
   * uses together.
   */
  phone_hour: { browser: 5, network: 4, anybody: 3 },
  phone_day: { browser: 10, network: 9, anybody: 9 },
  /** The share of the nine for each use; at least two, because two received codes are a proof of possession. */
  phone_day_for: { enter: 4, register: 2, invite: 3, changephone: 2 },
  /**
   * Limits on verifications by two received codes, per address and per phone from all addresses. Five attempts each at
   * 72 pairs of 10^12.
   */
  pair_hour: 5,
  pair_day: 20,
  pair_of_phone: { capacity: 5_000, refillSeconds: 10 },
  /** Sized for an office of two hundred employees behind one address on the morning payslips are sent. */
  peer_hour: 300,
  peer_day: 600,
  /** Codes to the new number of a signed-in user. */
  account_hour: 5,
  account_day: 10,
  /** Codes to unknown phones from one address; sized for a classroom that registers together. */
  outsider_hour: 10,
  outsider_day: 50,
  /** The first requests of an address and of its network draw from a bucket that repeated requests cannot empty. */
  first_of_peer: 2,
  first_of_network: 8,
  /**
   * 500 addresses take 1,000 at once and then no more; 200, and one every two minutes, remain for first-time
   * requesters.
   */
  firsts: { holds: 1_200, refill_s: 120 },
  /** Repeated requests: one every three minutes for all of them together, sixty after three hours without any. */
  repeats: { holds: 60, refill_s: 180 },
} as const

/**
 * 3. Concurrency limits (`concurrency.ts`): calls processed at once and waiting, by class of call. Of one owner (an
 * account, a company for costly calls, an address of whoever has proved no account) at most a third, so that three
 * clients are needed to fill a limit. In total not many more than the connections of the pool, which jobs and uploads
 * also use.
 */
export type ConcurrencyLimits = {
  /** Maximum number of calls processed at once; of one owner. */
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
  /** Maximum number of waiting calls; of one owner. */
  readonly maxQueued: number
  readonly maxQueuedPerOwner: number
  /** A call is refused if its expected wait, by the recent durations, is longer than this; a few may always wait. */
  readonly maxExpectedWaitMs: number
  /** The same when the queue has been non-empty for longer than a burst: more calls arrive than can be served. */
  readonly maxSustainedWaitMs: number
  /** A waiting call is refused after this time. */
  readonly queueTimeoutMs: number
  readonly retryAfterSeconds: number
}

const interactive = { maxExpectedWaitMs: 2_000, queueTimeoutMs: 2_000 } as const
export const concurrencyLimits = {
  /** Calls of employees, who read their payslips. */
  employee: {
    ...interactive,
    maxRunning: 6,
    maxRunningPerOwner: 2,
    // The first call of two hundred colleagues who open their payslips within the same second.
    maxQueued: 240,
    maxQueuedPerOwner: 20,
    maxSustainedWaitMs: 80,
    retryAfterSeconds: 1,
  },
  /** Calls of administrators and operators. */
  desk: {
    ...interactive,
    maxRunning: 6,
    maxRunningPerOwner: 2,
    maxQueued: 45,
    maxQueuedPerOwner: 15,
    maxSustainedWaitMs: 400,
    retryAfterSeconds: 2,
  },
  /** Reads whole batches: one at a time of a company, which is half of what the processors can do. */
  costly: {
    maxRunning: 2,
    maxRunningPerOwner: 1,
    maxQueued: 24,
    maxQueuedPerOwner: 8,
    maxExpectedWaitMs: 30_000,
    maxSustainedWaitMs: 30_000,
    queueTimeoutMs: 30_000,
    retryAfterSeconds: 5,
  },
  /** Anonymous calls, and every call of a caller who has not proved an account. */
  public: {
    maxRunning: 6,
    maxRunningPerOwner: 2,
    // An office of two hundred people behind one address waits in the queue, where a call costs a few kilobytes and no
    // connection. Other addresses do not wait for it: the owner with the fewest running calls is served next.
    maxQueued: 600,
    maxQueuedPerOwner: 200,
    maxExpectedWaitMs: 6_000,
    maxSustainedWaitMs: 1_500,
    queueTimeoutMs: 10_000,
    retryAfterSeconds: 3,
  },
} as const satisfies Record<string, ConcurrencyLimits>

/** The number of calls that one page makes at once may always wait, however slow the machine. */
export const minQueued = 12
/** A queue that lasts longer than this is more than a burst. */
export const burst_ms = 1_000
/** The weight of the latest duration in the moving average. */
export const smoothingFactor = 0.1

/** Forms of uploads, held in memory while they are read and processed (`form-reader.ts`). */
export const uploadLimits = {
  /** Of one user, who has a few tabs. */
  maxFormsPerOwner: 4,
  /** Of all users together; data beyond it is discarded on arrival. */
  maxBytes: 256 * mb,
  maxFileBytes: 20 * mb,
  /** A refused upload is read and discarded up to this size, so that the client receives the reason. */
  maxDrainBytes: 200 * mb,
} as const

/**
 * 4. Overload protection: of the event loop (`event-loop-pressure.ts`), of connections (`slow-clients.ts`), and against
 * floods (`flood-guard.ts`).
 */
export const overloadLimits = {
  /** Retry-After of a call that is refused while the event loop is delayed. */
  pressureRetryAfterSeconds: 5,
  /** Mean delay of the event loop over a second from which calls are refused to callers who have proved no account. */
  maxAnonymousLoopDelayMs: 200,
  /** Open connections of one address: an office of four hundred browsers with six each. */
  maxConnectionsPerAddress: 2_400,
  /** How long a new connection of a flooding address is held before it is closed. */
  floodDelayMs: 1_000,
  /** For this long after a caller proved an account their address may open connections, whatever a neighbour does. */
  provenAddressMs: 600_000,
  maxProvenAddresses: 50_000,
  /** Maximum time for the headers. */
  header_ms: 7_000,
  /** Minimum bytes of a body per window: 4 kB per second. */
  window_ms: 8_000,
  window_bytes: 32 * 1024,
  /** Maximum time for a request. */
  request_ms: 300_000,
  checkIntervalMs: 1_000,
} as const
