/** WeChat Pay v3 in public-key mode, through its plugin for axios, which signs requests and verifies responses. */
import { Agent } from 'node:https'
import { Aes, Formatter, Rsa, Wechatpay } from 'wechatpay-axios-plugin'
import {
  PaymentError,
  type PaymentNotification,
  type PaymentProvider,
  type PaymentStatus,
  type StatementEntry,
} from './provider.ts'
import { parseWechatStatement } from './statements.ts'

export type WechatPayConfig = {
  readonly mch_id: string
  readonly app_id: string
  /** Serial number of the merchant's certificate. */
  readonly serial: string
  readonly private_key: string
  readonly public_key_id: string
  readonly public_key: string
  /** 32 characters: key for the encryption of notifications. */
  readonly api_key: string
  readonly base?: string | undefined
  /** Certificate of the simulator. */
  readonly ca?: string | undefined
}
const timeoutMs = 8_000
/** A repeated notification carries a new time, so an old one is a replay. */
const notificationLifetimeSeconds = 300

type Transaction = {
  readonly out_trade_no?: unknown
  readonly transaction_id?: unknown
  readonly trade_state?: unknown
  readonly success_time?: unknown
  readonly appid?: unknown
  readonly mchid?: unknown
  readonly amount?: { readonly total?: unknown; readonly currency?: unknown }
}

export function createWechatPayProvider(app: WechatPayConfig): PaymentProvider {
  const { mch_id: mchid, app_id: appid } = app
  const { client } = new Wechatpay({
    mchid,
    serial: app.serial,
    privateKey: app.private_key,
    certs: { [app.public_key_id]: app.public_key },
    timeout: timeoutMs,
    ...(app.base ? { baseURL: app.base } : {}),
    ...(app.ca ? { httpsAgent: new Agent({ ca: app.ca }) } : {}),
  })
  const toPayment = (it: Transaction): PaymentNotification | null => toPaymentNotification(app, it)
  return {
    name: 'wechat',
    acknowledgement: { type: 'application/json', body: '{"code":"SUCCESS","message":""}' },
    async createOrder({ order_no, amount_fen, title, expires_at, notify_url }) {
      const requested = {
        appid,
        mchid,
        description: title,
        out_trade_no: order_no,
        time_expire: `${new Date(expires_at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
        notify_url,
        amount: { total: amount_fen, currency: 'CNY' },
      }
      const { data } = await client.v3
        .post<{ code_url?: unknown }>('/v3/pay/transactions/native', requested)
        .catch(throwPaymentError)
      return toText(data.code_url)
    },
    async queryOrder(order_no): Promise<PaymentStatus> {
      const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(order_no)}?mchid=${mchid}`
      const answer = await client.v3.get<Transaction>(path).catch(nullIfNotFound)
      // The order was never created at the provider.
      if (answer === null) return { state: 'waiting' }
      const { data } = answer
      const match = toPayment(data)
      if (match && match.order_no === order_no) return { state: 'paid', ...match }
      if (data.trade_state === 'REFUND') return { state: 'refunded' }
      return { state: data.trade_state === 'CLOSED' || data.trade_state === 'REVOKED' ? 'closed' : 'waiting' }
    },
    async closeOrder(order_no) {
      const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(order_no)}/close`
      await client.v3.post(path, { mchid }).catch(nullIfNotFound)
    },
    async refund({ order_no, refund_no, amount_fen, total_fen }) {
      const amount = { refund: amount_fen, total: total_fen, currency: 'CNY' }
      await client.v3
        .post('/v3/refund/domestic/refunds', { out_trade_no: order_no, out_refund_no: refund_no, amount })
        .catch(throwPaymentError)
    },
    getStatement: (day) => downloadStatement(client, day),
    parseNotification(headers, body, now) {
      const [at, nonce, signature, serial] = ['timestamp', 'nonce', 'signature', 'serial'].map((name) =>
        toText(headers[`wechatpay-${name}`]),
      )
      if (!at || !nonce || !signature || serial !== app.public_key_id) return null
      if (!(Math.abs(now.getTime() / 1000 - Number(at)) <= notificationLifetimeSeconds)) return null
      try {
        if (!Rsa.verify(Formatter.response(at, nonce, body), signature, Rsa.from(app.public_key, Rsa.KEY_TYPE_PUBLIC)))
          return null
        const { resource = {} }: { resource?: Record<string, unknown> } = JSON.parse(body)
        const text = Aes.AesGcm.decrypt(
          toText(resource.ciphertext),
          app.api_key,
          toText(resource.nonce),
          toText(resource.associated_data),
        )
        const message: Transaction = JSON.parse(text)
        return toPayment(message)
      } catch {
        // The notification has no valid signature, or was encrypted with another key.
        return null
      }
    },
  }
}

/** Returns the content of a transaction if it belongs to this merchant and is in yuan. */
function toPaymentNotification({ app_id, mch_id }: WechatPayConfig, transaction: Transaction): PaymentNotification | null {
  const total = transaction.amount?.total
  const isOurs = transaction.appid === app_id && transaction.mchid === mch_id && transaction.amount?.currency === 'CNY'
  if (!isOurs || typeof total !== 'number' || !Number.isSafeInteger(total) || total <= 0) return null
  const [order_no, transaction_id] = [toText(transaction.out_trade_no), toText(transaction.transaction_id)]
  const paid_at = new Date(toText(transaction.success_time))
  if (transaction.trade_state !== 'SUCCESS' || !order_no || !transaction_id || Number.isNaN(paid_at.getTime())) return null
  return { order_no, transaction_id, amount_fen: total, paid_at }
}

const getErrorCode = (error: unknown): string =>
  isRecord(error) && isRecord(error.response) && isRecord(error.response.data) ? toText(error.response.data.code) : ''

/** Throws an error of the provider or of the connection to it as `PaymentError`. */
function throwPaymentError(error: unknown): never {
  const response = isRecord(error) && isRecord(error.response) ? error.response : null
  const data = response && isRecord(response.data) ? response.data : {}
  const code = toText(data.code) || (response ? String(response.status) : 'unreachable')
  throw new PaymentError('wechat', code, toText(data.message) || (error instanceof Error ? error.message : ''))
}

/** Returns null if the provider does not know the order. */
const nullIfNotFound = (error: unknown): null => (getErrorCode(error) === 'ORDER_NOT_EXIST' ? null : throwPaymentError(error))

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

async function downloadStatement({ v3 }: Wechatpay['client'], day: string): Promise<StatementEntry[] | null> {
  const request = v3.get<{ download_url?: unknown; hash_type?: unknown; hash_value?: unknown }>(
    `/v3/bill/tradebill?bill_date=${day}&bill_type=ALL`,
  )
  const response = await request.catch((error: unknown) => {
    const errorCode = getErrorCode(error)
    if (errorCode === 'NO_STATEMENT_EXIST' || errorCode === 'STATEMENT_CREATING') return null
    return throwPaymentError(error)
  })
  if (!response) return null
  const { download_url, hash_type, hash_value } = response.data
  // This response is not signed itself: its hash is part of the previous, signed response.
  const { pathname, search } = new URL(toText(download_url))
  const file = await v3
    .get<ArrayBuffer>(`${pathname}${search}`, { responseType: 'arraybuffer', transformResponse: [] })
    .catch(throwPaymentError)
  return parseWechatStatement(Buffer.from(file.data), { type: toText(hash_type), value: toText(hash_value) })
}
