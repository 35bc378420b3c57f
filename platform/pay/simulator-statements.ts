/** The simulated providers' statements of a day, in the files that the real ones hand out. */
import { type StatementLine, yuanOf } from './provider.ts'
import { zip } from './zip.ts'

/** Chinese in GB 18030, which node reads and does not write: the table of its reader, turned around. */
const signs = new Map<string, Buffer>()
function encode(text: string): Buffer {
  if (signs.size === 0) {
    const decoder = new TextDecoder('gb18030')
    for (let first = 0x81; first <= 0xfe; first += 1)
      for (let second = 0x40; second <= 0xfe; second += 1) {
        const bytes = Buffer.from([first, second])
        signs.set(decoder.decode(bytes), bytes)
      }
  }
  return Buffer.concat([...text].map((sign) => (sign < '\u0080' ? Buffer.from(sign) : (signs.get(sign) ?? Buffer.from('?')))))
}

const alipayHead =
  '支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注'

export function alipayStatement(day: string, lines: readonly StatementLine[]): Buffer {
  const rows = lines.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    const [what, sign] = kind === 'paid' ? ['交易', ''] : ['退款', '-']
    const amount = `${sign}${yuanOf(amount_fen)}`
    const before = [
      `${transaction_id}\t`,
      `${order_no}\t`,
      what,
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
    alipayHead,
    ...rows,
    '#-----------------------------------------业务明细列表结束------------------------------------',
    `#导出时间：[${day} 23:59:59]`,
  ].join('\r\n')
  const sums = encode('#支付宝业务汇总查询\r\n')
  const name = `20880000000000010156_${day.replaceAll('-', '')}_业务明细`
  return zip([
    { name: `${name}(汇总).csv`, bytes: sums },
    { name: `${name}.csv`, bytes: encode(text) },
  ])
}

const wechatHead =
  '交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注'

export function wechatStatement(day: string, lines: readonly StatementLine[]): string {
  const rows = lines.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    const [amount, refund] = kind === 'paid' ? [yuanOf(amount_fen), '0.00'] : ['0.00', yuanOf(amount_fen)]
    const state = kind === 'paid' ? 'SUCCESS' : 'REFUND'
    const who = [
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
    const back = ['OTHERS', 'CNY', amount, '0.00', refund_no ? '5030000' : '0', refund_no ?? '0', refund, '0.00', '', '']
    return [...who, ...back, '薪函 短信', '', '0.00000', '0.00%', amount, refund, ''].map((cell) => `\`${cell}`).join()
  })
  const sums = '总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额'
  const sum = (wanted: StatementLine['kind']): string =>
    yuanOf(lines.filter(({ kind }) => kind === wanted).reduce((total, { amount_fen }) => total + amount_fen, 0))
  const last = [lines.length, sum('paid'), sum('refunded'), '0.00', '0.00000', sum('paid'), sum('refunded')]
  return `\uFEFF${[wechatHead, ...rows, sums, last.map((cell) => `\`${cell}`).join()].join('\r\n')}\r\n`
}
