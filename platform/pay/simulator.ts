/**
 * Simulates Alipay and WeChat Pay: uses the vendors' paths, signs with its own keys and verifies the merchant's
 * signatures. `pay` is the buyer's action. Notifications are sent when the test says so: lost, twice, late, in any
 * order, with any amount.
 */
import { createCipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AlipayConfig } from './alipay.ts'
import { formatYuan, type PaymentProviderName, parseYuan } from './provider.ts'
import { certificate, certificateKey } from './simulator-certificate.ts'
import { formatShanghaiTime, formatSortedFields, generateKeyPair, readBody, signText, verifySignature } from './simulator-keys.ts'
import { alipayStatement, listStatementEntries, respondToBillRequest, type Trade, toTransaction } from './simulator-statements.ts'
import type { WechatPayConfig } from './wechat.ts'

type WechatPayRequest = Readonly<Partial<Record<'out_trade_no' | 'out_refund_no' | 'description' | 'notify_url', string>>> & {
  readonly amount?: { readonly total?: number; readonly refund?: number }
}
export type SimulatedNotification = { readonly url: string; readonly headers: Record<string, string>; readonly body: string }

function getPort(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

export class PaymentSimulator {
  readonly trades = new Map<string, Trade>()
  /** Drops all responses; the requests are still executed. */
  dropsResponses = false
  readonly #now: () => Date
  readonly #merchantKeys = generateKeyPair()
  readonly #providerKeys = generateKeyPair()
  readonly #api_key = randomBytes(16).toString('hex')
  readonly #alipay = createServer((request, response) => {
    void this.#respondAsAlipay(request).then((text: string | Buffer) =>
      this.dropsResponses ? response.destroy() : response.end(text),
    )
  })
  readonly #wechat = createTlsServer({ key: certificateKey, cert: certificate }, (request, response) => {
    void this.#respondAsWechat(request).then(({ status, data }) => {
      if (this.dropsResponses) return response.destroy()
      const text = data === null ? '' : typeof data === 'string' ? data : JSON.stringify(data)
      const [at, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()]
      response.writeHead(status, {
        'content-type': 'application/json',
        'wechatpay-timestamp': at,
        'wechatpay-nonce': nonce,
        'wechatpay-serial': 'PUB_KEY_ID_1',
        'wechatpay-signature': signText(`${at}\n${nonce}\n${text}\n`, this.#providerKeys.privateKey),
      })
      return response.end(text)
    })
  })

  constructor(now: () => Date = () => new Date()) {
    this.#now = now
  }

  async listen(): Promise<{ alipay: AlipayConfig; wechat: WechatPayConfig }> {
    for (const server of [this.#alipay, this.#wechat])
      await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', () => ready()))
    const keys = { private_key: this.#merchantKeys.privateKey, public_key: this.#providerKeys.publicKey }
    return {
      alipay: {
        app_id: '2021000000000001',
        seller_id: '2088000000000001',
        ...keys,
        gateway: `http://127.0.0.1:${getPort(this.#alipay)}/gateway.do`,
      },
      wechat: {
        mch_id: '1900000001',
        app_id: 'wx0000000000000001',
        serial: '5157F09EFDC096DE15EBE81A47057A7232F1B8E1',
        public_key_id: 'PUB_KEY_ID_1',
        api_key: this.#api_key,
        base: `https://127.0.0.1:${getPort(this.#wechat)}/`,
        ca: certificate,
        ...keys,
      },
    }
  }

  async close(): Promise<void> {
    for (const server of [this.#alipay, this.#wechat]) {
      server.closeAllConnections()
      await new Promise<void>((closed) => void server.close(() => closed()))
    }
  }

  /**
   * Simulates a buyer who scans and pays, the order's amount or another one; returns the resulting notification, which
   * is not sent yet.
   */
  pay(order_no: string, { amount_fen }: { amount_fen?: number } = {}): SimulatedNotification {
    const trade = this.#getTrade(order_no)
    const paid_at = this.#now()
    const payment = {
      transaction_id: `4200${randomUUID().replaceAll('-', '')}`.slice(0, 28),
      amount_fen: amount_fen ?? trade.amount_fen,
      paid_at,
    }
    trade.payments.push(payment)
    trade.state = 'paid'
    return this.createNotification(order_no)
  }

  /** Creates a notification of the last payment, signed now; `change` is applied before signing. */
  createNotification(order_no: string, change: Record<string, unknown> = {}): SimulatedNotification {
    const trade = this.#getTrade(order_no)
    const payment = trade.payments.at(-1)
    if (!payment) throw new Error('nobody has paid it')
    return trade.provider === 'alipay'
      ? this.#createAlipayNotification(trade, payment, change)
      : this.#createWechatNotification(trade, payment, change)
  }

  /** Returns payments less refunds by order, for the provider's statement. */
  sumByOrder(): Map<string, number> {
    const sums = new Map<string, number>()
    for (const { order_no, payments, refunds } of this.trades.values()) {
      const got = payments.reduce((sum, { amount_fen }) => sum + amount_fen, 0)
      sums.set(order_no, got - [...refunds.values()].reduce((sum, { amount_fen }) => sum + amount_fen, 0))
    }
    return sums
  }

  /** Executes a refund once per number. */
  #refund(trade: Trade, refund_no: string, amount_fen: number): void {
    if (!trade.refunds.has(refund_no)) trade.refunds.set(refund_no, { amount_fen, at: this.#now() })
  }

  #getTrade(order_no: string): Trade {
    const trade = this.trades.get(order_no)
    if (!trade) throw new Error(`no such trade: ${order_no}`)
    return trade
  }

  #createAlipayNotification(
    trade: Trade,
    payment: Trade['payments'][number],
    change: Record<string, unknown>,
  ): SimulatedNotification {
    const fields: Record<string, string> = {
      app_id: '2021000000000001',
      charset: 'utf-8',
      gmt_payment: formatShanghaiTime(payment.paid_at),
      notify_id: randomUUID(),
      notify_time: formatShanghaiTime(this.#now()),
      notify_type: 'trade_status_sync',
      out_trade_no: trade.order_no,
      seller_id: '2088000000000001',
      subject: trade.title,
      total_amount: formatYuan(payment.amount_fen),
      trade_no: payment.transaction_id,
      trade_status: 'TRADE_SUCCESS',
      version: '1.0',
      ...Object.fromEntries(Object.entries(change).map(([name, value]) => [name, String(value)])),
    }
    const sign = signText(formatSortedFields(fields), this.#providerKeys.privateKey)
    const body = new URLSearchParams({ ...fields, sign, sign_type: 'RSA2' }).toString()
    return { url: trade.notify_url, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body }
  }

  #createWechatNotification(
    trade: Trade,
    payment: Trade['payments'][number],
    change: Record<string, unknown>,
  ): SimulatedNotification {
    const plain = JSON.stringify({ ...toTransaction(trade, payment), ...change })
    const nonce = randomBytes(6).toString('hex')
    const cipher = createCipheriv('aes-256-gcm', this.#api_key, nonce).setAAD(Buffer.from('transaction'))
    const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    const resource = {
      algorithm: 'AEAD_AES_256_GCM',
      original_type: 'transaction',
      ciphertext,
      associated_data: 'transaction',
      nonce,
    }
    const body = JSON.stringify({
      id: randomUUID(),
      event_type: 'TRANSACTION.SUCCESS',
      resource_type: 'encrypt-resource',
      resource,
    })
    const [at, salt] = [String(Math.floor(this.#now().getTime() / 1000)), randomUUID()]
    const headers = {
      'content-type': 'application/json',
      'wechatpay-timestamp': at,
      'wechatpay-nonce': salt,
      'wechatpay-serial': 'PUB_KEY_ID_1',
      'wechatpay-signature': signText(`${at}\n${salt}\n${body}\n`, this.#providerKeys.privateKey),
    }
    return { url: trade.notify_url, headers, body }
  }

  #createTrade(provider: PaymentProviderName, trade: Pick<Trade, 'order_no' | 'amount_fen' | 'title' | 'notify_url'>): string {
    const before = this.trades.get(trade.order_no)
    if (!before) this.trades.set(trade.order_no, { provider, ...trade, state: 'waiting', payments: [], refunds: new Map() })
    return provider === 'alipay' ? `https://qr.alipay.com/${trade.order_no}` : `weixin://wxpay/bizpayurl?pr=${trade.order_no}`
  }

  async #respondAsAlipay(request: IncomingMessage): Promise<string | Buffer> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const day = url.searchParams.get('bill_file')
    if (day) return alipayStatement(day, listStatementEntries(this.trades, 'alipay', day))
    const message = {
      ...Object.fromEntries(url.searchParams),
      ...Object.fromEntries(new URLSearchParams(await readBody(request))),
    }
    const { sign = '', method = '', ...fields } = message
    const trusted = verifySignature(formatSortedFields({ ...fields, method }), sign, this.#merchantKeys.publicKey)
    const biz: Record<string, string> = JSON.parse(message.biz_content ?? '{}')
    const answer = trusted
      ? this.#runAlipayMethod(method, biz, message.notify_url ?? '')
      : { code: '40002', msg: 'Invalid Arguments', sub_code: 'isv.invalid-signature' }
    const text = JSON.stringify(answer)
    return `{"${method.replaceAll('.', '_')}_response":${text},"sign":"${signText(text, this.#providerKeys.privateKey)}"}`
  }

  #runAlipayMethod(method: string, biz: Record<string, string>, notify_url: string): Record<string, string> {
    const [order_no = '', good] = [biz.out_trade_no, { code: '10000', msg: 'Success' }]
    if (method === 'alipay.trade.precreate') {
      const amount_fen = parseYuan(biz.total_amount) ?? 0
      return {
        ...good,
        out_trade_no: order_no,
        qr_code: this.#createTrade('alipay', { order_no, amount_fen, title: biz.subject ?? '', notify_url }),
      }
    }
    if (method === 'alipay.data.dataservice.bill.downloadurl.query') {
      const day = biz.bill_date ?? ''
      if (listStatementEntries(this.trades, 'alipay', day).length === 0)
        return { code: '40004', msg: 'Business Failed', sub_code: 'isp.bill_not_exist', sub_msg: '账单不存在' }
      return { ...good, bill_download_url: `http://127.0.0.1:${getPort(this.#alipay)}/file?bill_file=${day}` }
    }
    const trade = this.trades.get(order_no)
    const no = { code: '40004', msg: 'Business Failed', sub_code: 'ACQ.TRADE_NOT_EXIST', sub_msg: '交易不存在' }
    const payment = trade?.payments.at(-1)
    // A trade starts to exist when it is scanned.
    if (!trade || (!payment && trade.state !== 'closed' && method !== 'alipay.trade.close')) return no
    if (method === 'alipay.trade.close') {
      if (payment) return { ...no, sub_code: 'ACQ.TRADE_STATUS_ERROR', sub_msg: '交易状态不合法' }
      trade.state = 'closed'
      return { ...good, out_trade_no: order_no }
    }
    if (method === 'alipay.trade.refund') {
      this.#refund(trade, biz.out_request_no ?? order_no, parseYuan(biz.refund_amount) ?? 0)
      return { ...good, out_trade_no: order_no, fund_change: 'Y' }
    }
    const status = payment ? 'TRADE_SUCCESS' : 'TRADE_CLOSED'
    return {
      ...good,
      out_trade_no: order_no,
      trade_no: payment?.transaction_id ?? '',
      trade_status: status,
      total_amount: formatYuan(payment?.amount_fen ?? trade.amount_fen),
      send_pay_date: formatShanghaiTime(payment?.paid_at ?? this.#now()),
    }
  }

  async #respondAsWechat(request: IncomingMessage): Promise<{ status: number; data: object | string | null }> {
    const [body, path] = [await readBody(request), request.url ?? '/']
    const message = /timestamp="(\d+)"|nonce_str="([^"]+)"|signature="([^"]+)"/g
    const sections = [...(request.headers.authorization ?? '').matchAll(message)]
    const pick = (at: 1 | 2 | 3): string => sections.find((part) => part[at])?.[at] ?? ''
    if (!verifySignature(`${request.method}\n${path}\n${pick(1)}\n${pick(2)}\n${body}\n`, pick(3), this.#merchantKeys.publicKey))
      return { status: 401, data: { code: 'SIGN_ERROR', message: '签名错误' } }
    const { pathname, searchParams } = new URL(path, 'https://127.0.0.1')
    if (pathname.startsWith('/v3/bill')) return respondToBillRequest(this.trades, pathname, searchParams)
    const input: WechatPayRequest = body ? JSON.parse(body) : {}
    if (path === '/v3/pay/transactions/native') {
      const { total = 0 } = input.amount ?? {}
      const trade = {
        order_no: String(input.out_trade_no),
        amount_fen: total,
        title: String(input.description),
        notify_url: String(input.notify_url),
      }
      return { status: 200, data: { code_url: this.#createTrade('wechat', trade) } }
    }
    const order_no = path.startsWith('/v3/refund/')
      ? String(input.out_trade_no)
      : (/out-trade-no\/([^/?]+)/.exec(path)?.[1] ?? '')
    const trade = this.trades.get(order_no)
    if (!trade) return { status: 404, data: { code: 'ORDER_NOT_EXIST', message: '订单不存在' } }
    const payment = trade.payments.at(-1)
    if (path.startsWith('/v3/refund/')) {
      const { refund = 0 } = input.amount ?? {}
      this.#refund(trade, String(input.out_refund_no), refund)
      return { status: 200, data: { status: 'PROCESSING', out_refund_no: input.out_refund_no } }
    }
    if (path.endsWith('/close')) {
      if (payment) return { status: 400, data: { code: 'ORDERPAID', message: '订单已支付' } }
      trade.state = 'closed'
      return { status: 204, data: null }
    }
    if (payment) return { status: 200, data: toTransaction(trade, payment) }
    return { status: 200, data: { out_trade_no: order_no, trade_state: trade.state === 'closed' ? 'CLOSED' : 'NOTPAY' } }
  }
}
