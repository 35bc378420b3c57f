/** Alipay through its own SDK: pre-created trades that are paid by scanning a code (alipay.trade.precreate). */
import { AlipaySdk } from 'alipay-sdk'
import { formatYuan, PaymentError, type PaymentProvider, type PaymentStatus, parseYuan, type StatementEntry } from './provider.ts'
import { parseAlipayStatement } from './statements.ts'

export type AlipayConfig = {
  readonly app_id: string
  /** The merchant's own account (PID); null: notifications are not compared with it. */
  readonly seller_id: string | null
  /** PKCS#8 or PKCS#1, with or without the header and footer lines. */
  readonly private_key: string
  readonly public_key: string
  readonly gateway?: string | undefined
}
const defaultGateway = 'https://openapi.alipay.com/gateway.do'
const timeoutMs = 8_000

/** Formats a time as Alipay does: Shanghai time without an offset. */
const formatShanghaiTime = (at: Date): string =>
  new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
const parseShanghaiTime = (text: unknown): Date => new Date(`${String(text).replace(' ', 'T')}+08:00`)
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
/** There were no sales that day, or the file is not ready yet (available by 9:00 on the next day). */
const noStatementCodes = ['isp.bill_not_exist', 'isv.bill_not_exist', 'BILL_NOT_EXIST', 'EMPTY_DATA']
const paidStatuses = ['TRADE_SUCCESS', 'TRADE_FINISHED']

export function createAlipayProvider(app: AlipayConfig): PaymentProvider {
  const sdk = new AlipaySdk({
    appId: app.app_id,
    privateKey: app.private_key,
    alipayPublicKey: app.public_key,
    gateway: app.gateway ?? defaultGateway,
    keyType: app.private_key.includes('RSA PRIVATE') ? 'PKCS1' : 'PKCS8',
    timeout: timeoutMs,
    camelcase: true,
  })
  /** The signature of the response is verified, because an attacker in between could otherwise report a payment. */
  const request = async (method: string, bizContent: Record<string, string>, more: Record<string, string> = {}) => {
    const response = await sdk.exec(method, { ...more, bizContent }, { validateSign: true }).catch((error: unknown) => {
      throw new PaymentError('alipay', 'unreachable', error instanceof Error ? error.message : '')
    })
    return response
  }
  const requestOrThrow = async (...args: Parameters<typeof request>) => {
    const response = await request(...args)
    if (response.code !== '10000')
      throw new PaymentError('alipay', toText(response.subCode) || toText(response.code), toText(response.subMsg))
    return response
  }
  return {
    name: 'alipay',
    acknowledgement: { type: 'text/plain', body: 'success' },
    async createOrder({ order_no, amount_fen, title, expires_at, notify_url }) {
      const biz = {
        out_trade_no: order_no,
        total_amount: formatYuan(amount_fen),
        subject: title,
        time_expire: formatShanghaiTime(expires_at),
      }
      return toText((await requestOrThrow('alipay.trade.precreate', biz, { notify_url })).qrCode)
    },
    async queryOrder(order_no): Promise<PaymentStatus> {
      const answer = await request('alipay.trade.query', { out_trade_no: order_no })
      // The code has not been scanned yet.
      if (answer.subCode === 'ACQ.TRADE_NOT_EXIST') return { state: 'waiting' }
      if (answer.code !== '10000')
        throw new PaymentError('alipay', toText(answer.subCode) || toText(answer.code), toText(answer.subMsg))
      const amount_fen = parseYuan(answer.totalAmount)
      const status = toText(answer.tradeStatus)
      if (status === 'TRADE_CLOSED') return { state: 'closed' }
      if (!paidStatuses.includes(status) || amount_fen === null || answer.outTradeNo !== order_no) return { state: 'waiting' }
      return {
        state: 'paid',
        order_no,
        transaction_id: toText(answer.tradeNo),
        amount_fen,
        paid_at: parseShanghaiTime(answer.sendPayDate),
      }
    },
    async closeOrder(order_no) {
      const answer = await request('alipay.trade.close', { out_trade_no: order_no })
      if (answer.code !== '10000' && answer.subCode !== 'ACQ.TRADE_NOT_EXIST')
        throw new PaymentError('alipay', toText(answer.subCode) || toText(answer.code), toText(answer.subMsg))
    },
    async refund({ order_no, refund_no, amount_fen }) {
      const biz = { out_trade_no: order_no, out_request_no: refund_no, refund_amount: formatYuan(amount_fen) }
      await requestOrThrow('alipay.trade.refund', biz)
    },
    getStatement: (day) => downloadStatement(day, request),
    parseNotification(_headers, body) {
      const message = Object.fromEntries(new URLSearchParams(body))
      const amount_fen = parseYuan(message.total_amount)
      if (!hasValidSignature(sdk, message) || message.app_id !== app.app_id || amount_fen === null) return null
      if (app.seller_id !== null && message.seller_id !== app.seller_id) return null
      if (!paidStatuses.includes(message.trade_status ?? '') || !message.out_trade_no || !message.trade_no) return null
      return {
        order_no: message.out_trade_no,
        transaction_id: message.trade_no,
        amount_fen,
        paid_at: parseShanghaiTime(message.gmt_payment),
      }
    },
  }
}

/** The library throws if the signature is malformed. */
function hasValidSignature(sdk: AlipaySdk, notification: Record<string, string>): boolean {
  try {
    return Boolean(notification.sign) && sdk.checkNotifySignV2(notification)
  } catch {
    return false
  }
}

type AlipayRequest = (method: string, bizContent: Record<string, string>) => ReturnType<AlipaySdk['exec']>
async function downloadStatement(day: string, request: AlipayRequest): Promise<StatementEntry[] | null> {
  const response = await request('alipay.data.dataservice.bill.downloadurl.query', { bill_type: 'trade', bill_date: day })
  if (noStatementCodes.includes(toText(response.subCode))) return null
  if (response.code !== '10000')
    throw new PaymentError('alipay', toText(response.subCode) || toText(response.code), toText(response.subMsg))
  // The URL is signed by its own query and expires after half a minute.
  const file = await fetch(toText(response.billDownloadUrl), { signal: AbortSignal.timeout(timeoutMs * 4) }).catch(
    (error: unknown) => {
      throw new PaymentError('alipay', 'unreachable', error instanceof Error ? error.message : '')
    },
  )
  if (!file.ok) throw new PaymentError('alipay', String(file.status), 'statement')
  return parseAlipayStatement(Buffer.from(await file.arrayBuffer()))
}
