/** WeChat Pay v3 in public-key mode, through its plugin for axios, which signs what is asked and verifies what is answered. */
import { Agent } from 'node:https'
import { Aes, Formatter, Rsa, Wechatpay } from 'wechatpay-axios-plugin'
import { PayFailed, type PayFound, type PayNotice, type PayProvider, type StatementLine } from './provider.ts'
import { readWechat } from './statements.ts'

export type WechatApp = {
  readonly mch_id: string
  readonly app_id: string
  /** Of the merchant's certificate. */
  readonly serial: string
  readonly private_key: string
  readonly public_key_id: string
  readonly public_key: string
  /** 32 characters: notices are sealed by it. */
  readonly api_key: string
  readonly base?: string | undefined
  /** The certificate of a simulator. */
  readonly ca?: string | undefined
}
const timeout_ms = 8_000
/** A notice is sent anew with a new time; an old one is somebody else's copy. */
const notice_lives_s = 300

type Transaction = {
  readonly out_trade_no?: unknown
  readonly transaction_id?: unknown
  readonly trade_state?: unknown
  readonly success_time?: unknown
  readonly appid?: unknown
  readonly mchid?: unknown
  readonly amount?: { readonly total?: unknown; readonly currency?: unknown }
}

export function openWechatPay(app: WechatApp): PayProvider {
  const { mch_id: mchid, app_id: appid } = app
  const { client } = new Wechatpay({
    mchid,
    serial: app.serial,
    privateKey: app.private_key,
    certs: { [app.public_key_id]: app.public_key },
    timeout: timeout_ms,
    ...(app.base ? { baseURL: app.base } : {}),
    ...(app.ca ? { httpsAgent: new Agent({ ca: app.ca }) } : {}),
  })
  const paidIn = (it: Transaction): PayNotice | null => paidOf(app, it)
  return {
    name: 'wechat',
    taken: { type: 'application/json', body: '{"code":"SUCCESS","message":""}' },
    async create({ order_no, amount_fen, title, expires_at, notify_url }) {
      const asked = {
        appid,
        mchid,
        description: title,
        out_trade_no: order_no,
        time_expire: `${new Date(expires_at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
        notify_url,
        amount: { total: amount_fen, currency: 'CNY' },
      }
      const { data } = await client.v3.post<{ code_url?: unknown }>('/v3/pay/transactions/native', asked).catch(failed)
      return textOf(data.code_url)
    },
    async ask(order_no): Promise<PayFound> {
      const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(order_no)}?mchid=${mchid}`
      const answer = await client.v3.get<Transaction>(path).catch(unlessUnknown)
      // What was asked for has not arrived there.
      if (answer === null) return { state: 'waiting' }
      const { data } = answer
      const found = paidIn(data)
      if (found && found.order_no === order_no) return { state: 'paid', ...found }
      if (data.trade_state === 'REFUND') return { state: 'refunded' }
      return { state: data.trade_state === 'CLOSED' || data.trade_state === 'REVOKED' ? 'closed' : 'waiting' }
    },
    async close(order_no) {
      const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(order_no)}/close`
      await client.v3.post(path, { mchid }).catch(unlessUnknown)
    },
    async refund({ order_no, refund_no, amount_fen, total_fen }) {
      const amount = { refund: amount_fen, total: total_fen, currency: 'CNY' }
      await client.v3
        .post('/v3/refund/domestic/refunds', { out_trade_no: order_no, out_refund_no: refund_no, amount })
        .catch(failed)
    },
    statement: (day) => statementOf(client, day),
    read(headers, body, now) {
      const [at, nonce, signature, serial] = ['timestamp', 'nonce', 'signature', 'serial'].map((name) =>
        textOf(headers[`wechatpay-${name}`]),
      )
      if (!at || !nonce || !signature || serial !== app.public_key_id) return null
      if (!(Math.abs(now.getTime() / 1000 - Number(at)) <= notice_lives_s)) return null
      try {
        if (!Rsa.verify(Formatter.response(at, nonce, body), signature, Rsa.from(app.public_key, Rsa.KEY_TYPE_PUBLIC)))
          return null
        const { resource = {} }: { resource?: Record<string, unknown> } = JSON.parse(body)
        const text = Aes.AesGcm.decrypt(
          textOf(resource.ciphertext),
          app.api_key,
          textOf(resource.nonce),
          textOf(resource.associated_data),
        )
        const said: Transaction = JSON.parse(text)
        return paidIn(said)
      } catch {
        // No signature at all, or sealed by another key.
        return null
      }
    },
  }
}

/** What a transaction says, if it is this merchant's and in yuan. */
function paidOf({ app_id, mch_id }: WechatApp, it: Transaction): PayNotice | null {
  const total = it.amount?.total
  const isOurs = it.appid === app_id && it.mchid === mch_id && it.amount?.currency === 'CNY'
  if (!isOurs || typeof total !== 'number' || !Number.isSafeInteger(total)) return null
  const [order_no, transaction_id] = [textOf(it.out_trade_no), textOf(it.transaction_id)]
  if (it.trade_state !== 'SUCCESS' || !order_no || !transaction_id) return null
  return { order_no, transaction_id, amount_fen: total, paid_at: new Date(textOf(it.success_time)) }
}

const codeOf = (error: unknown): string =>
  isRecord(error) && isRecord(error.response) && isRecord(error.response.data) ? textOf(error.response.data.code) : ''

/** What the provider, or the line to it, says no with. */
function failed(error: unknown): never {
  const answer = isRecord(error) && isRecord(error.response) ? error.response : null
  const data = answer && isRecord(answer.data) ? answer.data : {}
  const code = textOf(data.code) || (answer ? String(answer.status) : 'unreachable')
  throw new PayFailed('wechat', code, textOf(data.message) || (error instanceof Error ? error.message : ''))
}

/** Null where it knows no such order. */
const unlessUnknown = (error: unknown): null => (codeOf(error) === 'ORDER_NOT_EXIST' ? null : failed(error))

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

async function statementOf({ v3 }: Wechatpay['client'], day: string): Promise<StatementLine[] | null> {
  const asked = v3.get<{ download_url?: unknown; hash_type?: unknown; hash_value?: unknown }>(
    `/v3/bill/tradebill?bill_date=${day}&bill_type=ALL`,
  )
  const found = await asked.catch((error: unknown) => {
    const why = codeOf(error)
    if (why === 'NO_STATEMENT_EXIST' || why === 'STATEMENT_CREATING') return null
    return failed(error)
  })
  if (!found) return null
  const { download_url, hash_type, hash_value } = found.data
  // This one answer is not signed: its hash is, in the answer before.
  const { pathname, search } = new URL(textOf(download_url))
  const file = await v3
    .get<ArrayBuffer>(`${pathname}${search}`, { responseType: 'arraybuffer', transformResponse: [] })
    .catch(failed)
  return readWechat(Buffer.from(file.data), { type: textOf(hash_type), value: textOf(hash_value) })
}
