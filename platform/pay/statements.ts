/** Parses the providers' daily statements by column name. A file with inconsistent totals is rejected as a whole. */
import { createHash } from 'node:crypto'
import { parseYuan, type StatementEntry } from './provider.ts'
import { unzip } from './zip.ts'

/** Splits a CSV line: commas inside quotes do not separate, a doubled quote is one quote. */
const splitCsvLine = (line: string): string[] =>
  [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"\s*|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
/** Cells are padded with tabs or prefixed with a grave accent to stop spreadsheets from converting them to numbers. */
const parseCells = (line: string): string[] => splitCsvLine(line).map((cell) => cell.trim().replace(/^`/, '').trim())
const parseAmount = (text: string): number => {
  const fen = parseYuan(text.replace(/^-/, ''))
  if (fen === null) throw new Error(`an amount of a statement cannot be read: ${text}`)
  return fen
}
/** Maps each row by the column names of the header; `requiredColumns` must be present. */
function mapRowsByHeader(
  header: string,
  lines: readonly string[],
  requiredColumns: readonly string[],
): ((name: string) => string)[] {
  const names = parseCells(header).map((one) => one.replace(/[（(]元[）)]$/, ''))
  const missing = requiredColumns.find((name) => !names.includes(name))
  if (missing) throw new Error(`a statement without the column ${missing}`)
  return lines.map((line) => {
    const cells = parseCells(line)
    return (name) => cells[names.indexOf(name)] ?? ''
  })
}

/** Parses Alipay's statement: a ZIP with the day's trades and totals, in GB 18030; lines with # describe the file. */
export function parseAlipayStatement(bytes: Buffer): StatementEntry[] {
  const file = unzip(bytes).find(({ name }) => name.includes('业务明细') && !name.includes('汇总'))
  if (!file) throw new Error('a statement without its trades')
  const [header = '', ...lines] = new TextDecoder('gb18030')
    .decode(file.bytes)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const requiredColumns = ['支付宝交易号', '商户订单号', '业务类型', '订单金额', '退款批次号/请求号']
  return mapRowsByHeader(header, lines, requiredColumns).map((getCell) => {
    const refunded = getCell('业务类型') === '退款'
    return {
      kind: refunded ? 'refunded' : 'paid',
      order_no: getCell('商户订单号'),
      transaction_id: getCell('支付宝交易号'),
      amount_fen: parseAmount(getCell('订单金额')),
      refund_no: refunded ? getCell('退款批次号/请求号') : null,
    }
  })
}

/** Parses WeChat Pay's statement: one line per trade, then two lines of totals, which prove that nothing is missing. */
export function parseWechatStatement(bytes: Buffer, hash: { readonly type: string; readonly value: string }): StatementEntry[] {
  if (hash.type !== 'SHA1' || createHash('sha1').update(bytes).digest('hex') !== hash.value.toLowerCase())
    throw new Error('a statement that was changed on its way')
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  const sums = lines.findIndex((line) => line.startsWith('总交易单数'))
  if (sums < 1) throw new Error('a statement without its sums')
  const requiredColumns = ['微信订单号', '商户订单号', '交易状态', '订单金额', '商户退款单号', '申请退款金额']
  const entries = mapRowsByHeader(lines[0] ?? '', lines.slice(1, sums), requiredColumns).map((getCell): StatementEntry => {
    const refunded = getCell('交易状态') === 'REFUND'
    return {
      kind: refunded ? 'refunded' : 'paid',
      order_no: getCell('商户订单号'),
      transaction_id: getCell('微信订单号'),
      amount_fen: parseAmount(getCell(refunded ? '申请退款金额' : '订单金额')),
      refund_no: refunded ? getCell('商户退款单号') : null,
    }
  })
  if (Number(parseCells(lines[sums + 1] ?? '')[0]) !== entries.length)
    throw new Error('a statement with fewer lines than it says')
  return entries
}
