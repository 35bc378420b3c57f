/** The port to those who take money: orders are made, asked about, given up and paid back; notices are believed only when they are signed. */
export type PaymentProviderName = 'alipay' | 'wechat'

/** Amounts are whole fen. */
export type PaymentOrder = {
  readonly order_no: string
  readonly amount_fen: number
  readonly title: string
  readonly expires_at: Date
  readonly notify_url: string
}
export type PaymentNotification = {
  readonly order_no: string
  readonly transaction_id: string
  readonly amount_fen: number
  readonly paid_at: Date
}
/** What the provider knows: nothing yet, or given up; or the money that came in. */
export type PaymentStatus =
  | { readonly state: 'waiting' | 'closed' | 'refunded' }
  | ({ readonly state: 'paid' } & PaymentNotification)

/** A line of a provider's statement of a day. Amounts are whole fen, of a refund too. */
export type StatementEntry = {
  readonly kind: 'paid' | 'refunded'
  readonly order_no: string
  readonly transaction_id: string
  readonly amount_fen: number
  /** Of a refund: the number it was asked for by. */
  readonly refund_no: string | null
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
export type PaymentProvider = {
  readonly name: PaymentProviderName
  /** What is drawn as a QR code. The same order asked for again is the same order. */
  createOrder(order: PaymentOrder): Promise<string>
  queryOrder(order_no: string): Promise<PaymentStatus>
  closeOrder(order_no: string): Promise<void>
  /** Once for each `refund_no`. */
  refund(refund: {
    readonly order_no: string
    readonly refund_no: string
    readonly amount_fen: number
    readonly total_fen: number
  }): Promise<void>
  /** What moved on a day (`2026-11-23`, in China) as the provider's own statement has it; null: there is none, or none yet. */
  getStatement(day: string): Promise<StatementEntry[] | null>
  /** What a notice says, if its signature, its merchant, its application and its currency are right; null of any other. */
  parseNotification(headers: RequestHeaders, body: string, now: Date): PaymentNotification | null
  /** What the provider wants to hear so that it sends a notice no more. */
  readonly acknowledgement: { readonly type: string; readonly body: string }
}

/** The provider does not do it, or cannot be reached. Its words are for the log. */
export class PaymentError extends Error {
  override readonly name = 'PayFailed'
  readonly code: string
  constructor(provider: PaymentProviderName, code: string, message: string) {
    super(`${provider}: ${code} ${message}`)
    this.code = code
  }
}

/** `1234` → `12.34`, as Alipay writes yuan. */
export const formatYuan = (fen: number): string => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`
/** Digit by digit; null of what is no amount. */
export function parseYuan(yuan: unknown): number | null {
  const match = typeof yuan === 'string' ? /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(yuan) : null
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null
}
