/** Invoices and bills: a number, a recipient and a total resemble pay, but are not. */
import { normalizeText } from '../../rules/text.ts'
import { mentionsPayTerms, normalizeHeader } from './synonyms.ts'

const billNumberPattern =
  /^(?:(?:增值税)?(?:电子)?发票|账单|帐单|对账单|票据|收据)(?:号码?|编号|单号|流水号|代码|序号)$|^(?:tax )?(?:invoice|bill|receipt|credit note) ?(?:#|no\.?|nos\.?|num|number|id|code|reference|ref)$|^(?:請求書|伝票)番号$|^(?:계산서|청구서) ?번호$|^(?:số hóa đơn|номер счета)$/
/** Other labels of invoices and bills that no wage sheet has. */
const billLabelPattern =
  /^(?:开票|发票|账单|帐单|记账|对账)(?:日期|时间|金额|类型|种类|状态|内容|抬头|周期|月份|总额)$|^账期$|^(?:购买方|销售方|购方|销方|开票方|收票方|付款方|购货方|销货方)(?:名称|单位|税号|公司)?$|^(?:价税合计|不含税金额|含税金额|规格型号|纳税人识别号|税号|货物.*|应收(?:金额|款|账款)?|已收(?:金额|款)?|未收(?:金额|款)?|(?:上期|本期|上月|本月)(?:读数|表数|抄表数?|止码|示数)|用量|用水量|用电量|滞纳金)$|^(?:invoice|bill|billing|due|issue) ?date$|^(?:invoice|bill) ?(?:amount|total|value|status)$|^(?:bill|ship|sold) ?to$|^(?:due|amount due|balance due|vat|gst|sales tax|unit price|taxable (?:amount|value)|hsn(?:\/sac)?)$/
/** 应税劳务 is the item sold, and the net amount is the price without tax. */
const soldItemPattern = /货物或?应税劳务(?:、?服务)?(?:名称)?|应税劳务|net amount/gi

/** Returns whether the labels are those of invoices or bills; any label about pay rules it out. */
export function isBillTable(paths: readonly (readonly string[])[], ...titles: readonly string[]): boolean {
  const labels = paths.map((path) => normalizeHeader(normalizeText(path.at(-1) ?? '')))
  const numbers = labels.filter((label) => billNumberPattern.test(label)).length
  const others = labels.filter((label) => billLabelPattern.test(label)).length
  const amounts = labels.filter((label) => totalLabelPattern.test(label)).length
  if (numbers + others < 2 && (numbers === 0 || amounts === 0)) return false
  const plain = paths.map((path) => path.map((part) => part.replace(soldItemPattern, '')))
  return !mentionsPayTerms({ paths: plain }, ...titles.map((text) => text.replace(soldItemPattern, '')))
}
const totalLabelPattern = /合计|总计|总额|金额|总价|小计|total|amount|sum|합계|tổng|итого/
