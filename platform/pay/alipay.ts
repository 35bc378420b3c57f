/** Alipay, through its own SDK: pre-created trades that are paid by a scanned code (alipay.trade.precreate). */
import { AlipaySdk } from 'alipay-sdk'
import { fenOf, PayFailed, type PayFound, type PayProvider, type StatementLine, yuanOf } from './provider.ts'
import { readAlipay } from './statements.ts'

export type AlipayApp = {
  readonly app_id: string
  /** PKCS#8 or PKCS#1, with or without its first and last line. */
  readonly private_key: string
  readonly public_key: string
  readonly gateway?: string | undefined
}
const usual_gateway = 'https://openapi.alipay.com/gateway.do'
const timeout_ms = 8_000

/** Alipay writes Shanghai's time without saying so. */
const wallClock = (at: Date): string => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
const instantOf = (text: unknown): Date => new Date(`${String(text).replace(' ', 'T')}+08:00`)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** Nothing was sold that day, or the file is not made yet (by nine in the morning of the next one). */
const noStatement = ['isp.bill_not_exist', 'isv.bill_not_exist', 'BILL_NOT_EXIST', 'EMPTY_DATA']
const paid = ['TRADE_SUCCESS', 'TRADE_FINISHED']

export function openAlipay(app: AlipayApp): PayProvider {
  const sdk = new AlipaySdk({
    appId: app.app_id,
    privateKey: app.private_key,
    alipayPublicKey: app.public_key,
    gateway: app.gateway ?? usual_gateway,
    keyType: app.private_key.includes('RSA PRIVATE') ? 'PKCS1' : 'PKCS8',
    timeout: timeout_ms,
    camelcase: true,
  })
  /** The signature of the answer is checked: whoever stands between could say that something was paid. */
  const ask = async (method: string, bizContent: Record<string, string>, more: Record<string, string> = {}) => {
    const answer = await sdk.exec(method, { ...more, bizContent }, { validateSign: true }).catch((error: unknown) => {
      throw new PayFailed('alipay', 'unreachable', error instanceof Error ? error.message : '')
    })
    return answer
  }
  const must = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    if (answer.code !== '10000')
      throw new PayFailed('alipay', textOf(answer.subCode) || textOf(answer.code), textOf(answer.subMsg))
    return answer
  }
  return {
    name: 'alipay',
    taken: { type: 'text/plain', body: 'success' },
    async create({ order_no, amount_fen, title, expires_at, notify_url }) {
      const biz = { out_trade_no: order_no, total_amount: yuanOf(amount_fen), subject: title, time_expire: wallClock(expires_at) }
      return textOf((await must('alipay.trade.precreate', biz, { notify_url })).qrCode)
    },
    async ask(order_no): Promise<PayFound> {
      const answer = await ask('alipay.trade.query', { out_trade_no: order_no })
      // Nobody has scanned it yet.
      if (answer.subCode === 'ACQ.TRADE_NOT_EXIST') return { state: 'waiting' }
      if (answer.code !== '10000')
        throw new PayFailed('alipay', textOf(answer.subCode) || textOf(answer.code), textOf(answer.subMsg))
      const amount_fen = fenOf(answer.totalAmount)
      const status = textOf(answer.tradeStatus)
      if (status === 'TRADE_CLOSED') return { state: 'closed' }
      if (!paid.includes(status) || amount_fen === null || answer.outTradeNo !== order_no) return { state: 'waiting' }
      return {
        state: 'paid',
        order_no,
        transaction_id: textOf(answer.tradeNo),
        amount_fen,
        paid_at: instantOf(answer.sendPayDate),
      }
    },
    async close(order_no) {
      const answer = await ask('alipay.trade.close', { out_trade_no: order_no })
      if (answer.code !== '10000' && answer.subCode !== 'ACQ.TRADE_NOT_EXIST')
        throw new PayFailed('alipay', textOf(answer.subCode) || textOf(answer.code), textOf(answer.subMsg))
    },
    async refund({ order_no, refund_no, amount_fen }) {
      const biz = { out_trade_no: order_no, out_request_no: refund_no, refund_amount: yuanOf(amount_fen) }
      await must('alipay.trade.refund', biz)
    },
    statement: (day) => statementOf(day, ask),
    read(_headers, body) {
      const said = Object.fromEntries(new URLSearchParams(body))
      const amount_fen = fenOf(said.total_amount)
      if (!isSigned(sdk, said) || said.app_id !== app.app_id || amount_fen === null) return null
      if (!paid.includes(said.trade_status ?? '') || !said.out_trade_no || !said.trade_no) return null
      return { order_no: said.out_trade_no, transaction_id: said.trade_no, amount_fen, paid_at: instantOf(said.gmt_payment) }
    },
  }
}

/** A signature that is none at all makes the library throw. */
function isSigned(sdk: AlipaySdk, said: Record<string, string>): boolean {
  try {
    return Boolean(said.sign) && sdk.checkNotifySignV2(said)
  } catch {
    return false
  }
}

type Ask = (method: string, bizContent: Record<string, string>) => ReturnType<AlipaySdk['exec']>
async function statementOf(day: string, ask: Ask): Promise<StatementLine[] | null> {
  const answer = await ask('alipay.data.dataservice.bill.downloadurl.query', { bill_type: 'trade', bill_date: day })
  if (noStatement.includes(textOf(answer.subCode))) return null
  if (answer.code !== '10000') throw new PayFailed('alipay', textOf(answer.subCode) || textOf(answer.code), textOf(answer.subMsg))
  // The address is signed by its own query and dies after half a minute.
  const file = await fetch(textOf(answer.billDownloadUrl), { signal: AbortSignal.timeout(timeout_ms * 4) }).catch(
    (error: unknown) => {
      throw new PayFailed('alipay', 'unreachable', error instanceof Error ? error.message : '')
    },
  )
  if (!file.ok) throw new PayFailed('alipay', String(file.status), 'statement')
  return readAlipay(Buffer.from(await file.arrayBuffer()))
}
