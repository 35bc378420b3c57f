/** The port for payment providers: orders are created, queried, closed, refunded; only signed notifications are trusted. */
export type PaymentProviderName = 'alipay' | 'wechat'

/** Amounts are in whole fen. */
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
/** The provider's status of an order: waiting, closed or refunded; or the money received. */
export type PaymentStatus =
  | { readonly state: 'waiting' | 'closed' | 'refunded' }
  | ({ readonly state: 'paid' } & PaymentNotification)

/** An entry of a provider's daily statement. Amounts are in whole fen, including refunds. */
export type StatementEntry = {
  readonly kind: 'paid' | 'refunded'
  readonly order_no: string
  readonly transaction_id: string
  readonly amount_fen: number
  /** The number of the refund request, for refunds only. */
  readonly refund_no: string | null
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
export type PaymentProvider = {
  readonly name: PaymentProviderName
  /** Returns the content of the QR code. Idempotent for the same order. */
  createOrder(order: PaymentOrder): Promise<string>
  queryOrder(order_no: string): Promise<PaymentStatus>
  closeOrder(order_no: string): Promise<void>
  /** Idempotent per `refund_no`. */
  refund(refund: {
    readonly order_no: string
    readonly refund_no: string
    readonly amount_fen: number
    readonly total_fen: number
  }): Promise<void>
  /** Returns the provider's statement of a day (`2026-11-23`, in China); null if there is none, or none yet. */
  getStatement(day: string): Promise<StatementEntry[] | null>
  /** Returns the content of a notification if its signature, merchant, application and currency are correct; otherwise null. */
  parseNotification(headers: RequestHeaders, body: string, now: Date): PaymentNotification | null
  /** The response that makes the provider stop repeating a notification. */
  readonly acknowledgement: { readonly type: string; readonly body: string }
}

/** The provider rejected the call or is unreachable. Its message is for the log. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
  readonly code: string
  constructor(provider: PaymentProviderName, code: string, message: string) {
    super(`${provider}: ${code} ${message}`)
    this.code = code
  }
}

/** Formats fen as Alipay writes yuan: `1234` → `12.34`. */
export const formatYuan = (fen: number): string => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`
/** Parses yuan digit by digit, without floating point; null if it is not an amount. */
export function parseYuan(yuan: unknown): number | null {
  const match = typeof yuan === 'string' ? /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(yuan) : null
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null
}
