/** Daily statements of the simulated providers, in the file formats of the real ones. */
import { createHash } from 'node:crypto'
import { formatYuan, type PaymentProviderName, type StatementEntry } from './provider.ts'
import { formatShanghaiTime } from './simulator-keys.ts'
import { zip } from './zip.ts'

export type Trade = {
  readonly provider: PaymentProviderName
  readonly order_no: string
  readonly amount_fen: number
  readonly title: string
  readonly notify_url: string
  state: 'waiting' | 'paid' | 'closed'
  payments: { transaction_id: string; amount_fen: number; paid_at: Date }[]
  refunds: Map<string, { readonly amount_fen: number; readonly at: Date }>
}

/** Lists the payments and refunds of a day for its statement. */
export function listStatementEntries(
  trades: ReadonlyMap<string, Trade>,
  provider: PaymentProviderName,
  day: string,
): StatementEntry[] {
  const isOnDay = (at: Date): boolean => formatShanghaiTime(at).startsWith(day)
  const entries: StatementEntry[] = []
  for (const { provider: tradeProvider, order_no, payments, refunds } of trades.values()) {
    if (tradeProvider !== provider) continue
    for (const { transaction_id, amount_fen, paid_at } of payments)
      if (isOnDay(paid_at)) entries.push({ kind: 'paid', order_no, transaction_id, amount_fen, refund_no: null })
    const transaction_id = payments.at(-1)?.transaction_id ?? ''
    for (const [refund_no, { amount_fen, at }] of refunds)
      if (isOnDay(at)) entries.push({ kind: 'refunded', order_no, transaction_id, amount_fen, refund_no })
  }
  return entries
}

/** Responds to WeChat Pay's bill request: the download URL with the hash, and the file itself. */
export function respondToBillRequest(
  trades: ReadonlyMap<string, Trade>,
  path: string,
  query: URLSearchParams,
): { status: number; data: object | string } {
  const day = query.get('bill_date') ?? query.get('token') ?? ''
  const entries = listStatementEntries(trades, 'wechat', day)
  if (entries.length === 0) return { status: 400, data: { code: 'NO_STATEMENT_EXIST', message: '账单文件不存在' } }
  const file = wechatStatement(day, entries)
  if (path === '/v3/billdownload/file') return { status: 200, data: file }
  const hash_value = createHash('sha1').update(file).digest('hex')
  const download_url = `https://api.mch.weixin.qq.com/v3/billdownload/file?token=${day}`
  return { status: 200, data: { hash_type: 'SHA1', hash_value, download_url } }
}

/** Encodes text in GB 18030, which Node can decode but not encode, by inverting the decoder's table. */
const gb18030Bytes = new Map<string, Buffer>()
function encodeGb18030(text: string): Buffer {
  if (gb18030Bytes.size === 0) {
    const decoder = new TextDecoder('gb18030')
    for (let first = 0x81; first <= 0xfe; first += 1)
      for (let second = 0x40; second <= 0xfe; second += 1) {
        const bytes = Buffer.from([first, second])
        gb18030Bytes.set(decoder.decode(bytes), bytes)
      }
  }
  return Buffer.concat(
    [...text].map((sign) => (sign < '\u0080' ? Buffer.from(sign) : (gb18030Bytes.get(sign) ?? Buffer.from('?')))),
  )
}

const alipayColumns =
  '支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注'

export function alipayStatement(day: string, entries: readonly StatementEntry[]): Buffer {
  const rows = entries.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    const [businessType, sign] = kind === 'paid' ? ['交易', ''] : ['退款', '-']
    const amount = `${sign}${formatYuan(amount_fen)}`
    const before = [
      `${transaction_id}\t`,
      `${order_no}\t`,
      businessType,
      '"薪函, 短信"',
      `${day} 10:00:00`,
      `${day} 10:00:00`,
      '',
      '',
      '',
      '',
    ]
    return [
      ...before,
      '买家\t',
      amount,
      amount,
      ...Array(6).fill('0.00'),
      '',
      '0.00',
      `${refund_no ?? ''}\t`,
      '0.00',
      '0.00',
      '',
    ].join()
  })
  const text = [
    '#支付宝业务明细查询',
    '#账号：[20880000000000010156]',
    '#-----------------------------------------业务明细列表----------------------------------------',
    alipayColumns,
    ...rows,
    '#-----------------------------------------业务明细列表结束------------------------------------',
    `#导出时间：[${day} 23:59:59]`,
  ].join('\r\n')
  const sums = encodeGb18030('#支付宝业务汇总查询\r\n')
  const name = `20880000000000010156_${day.replaceAll('-', '')}_业务明细`
  return zip([
    { name: `${name}(汇总).csv`, bytes: sums },
    { name: `${name}.csv`, bytes: encodeGb18030(text) },
  ])
}

const wechatColumns =
  '交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注'

export function wechatStatement(day: string, entries: readonly StatementEntry[]): string {
  const rows = entries.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    const [amount, refund] = kind === 'paid' ? [formatYuan(amount_fen), '0.00'] : ['0.00', formatYuan(amount_fen)]
    const state = kind === 'paid' ? 'SUCCESS' : 'REFUND'
    const orderCells = [
      `${day} 10:00:00`,
      'wx0000000000000001',
      '1900000001',
      '0',
      '',
      transaction_id,
      order_no,
      'buyer',
      'NATIVE',
      state,
    ]
    const refundCells = ['OTHERS', 'CNY', amount, '0.00', refund_no ? '5030000' : '0', refund_no ?? '0', refund, '0.00', '', '']
    return [...orderCells, ...refundCells, '薪函 短信', '', '0.00000', '0.00%', amount, refund, '']
      .map((cell) => `\`${cell}`)
      .join()
  })
  const sums = '总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额'
  const sum = (entryKind: StatementEntry['kind']): string =>
    formatYuan(entries.filter(({ kind }) => kind === entryKind).reduce((total, { amount_fen }) => total + amount_fen, 0))
  const last = [entries.length, sum('paid'), sum('refunded'), '0.00', '0.00000', sum('paid'), sum('refunded')]
  return `\uFEFF${[wechatColumns, ...rows, sums, last.map((cell) => `\`${cell}`).join()].join('\r\n')}\r\n`
}

export const toTransaction = ({ order_no }: Trade, { transaction_id, amount_fen, paid_at }: Trade['payments'][number]) => ({
  mchid: '1900000001',
  appid: 'wx0000000000000001',
  out_trade_no: order_no,
  transaction_id,
  trade_type: 'NATIVE',
  trade_state: 'SUCCESS',
  success_time: `${new Date(paid_at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
  amount: { total: amount_fen, payer_total: amount_fen, currency: 'CNY', payer_currency: 'CNY' },
})
