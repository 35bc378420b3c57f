/**
 * Variants that sentences for users do not contain, with the term to use instead (docs/development/interface-terms.md).
 * A term is one name for one concept.
 */
import { type Files, getTexts } from './source.ts'

const terms: Readonly<Record<string, string>> = {
  验算: '核对、核算',
  没问题: '接受',
  取入: '引入',
  取出: '移除',
  移掉: '移除',
  去掉: '移除',
  撤消: '撤销',
  办公软件: '办公平台',
  疑问: '反馈（员工按钮「有疑问」除外）',
  '版本（': '套餐',
  认错: '识别有误',
  不见了: '缺少',
  一字不差: '完全一致',
  战略资讯: '政策与产品',
  代理资讯: '代理服务',
  把握: '（不写识别的把握）',
  工资单: '工资条',
  帐号: '账号',
  登陆: '登录',
  手机号码: '手机号',
  看一眼: '确认',
  对调: '互换',
  阅后关闭: '阅后即焚',
  查看后关闭: '阅后即焚',
  留痕: '记录',
  怎么发: '发送渠道',
  列的含义: '列对应',
}
/** The employee's button is fixed; so is what quotes it. Files of authorities have a column 手机号码. */
const allowedPhrases = /「?有疑问」?|没有疑问|手机号码\*?'|'手机号码|^\s*手机号码: /gm

/** Not those that recognise what customers or mail servers write, laws quote or files of authorities require. */
const isForUsers = (path: string): boolean =>
  /^(src|server|platform)\/.*\.(tsx?|html)$/.test(path) &&
  !/^(server\/(spreadsheets|rules\/law|demo|commands)|platform\/mail\/reply-reason)\b/.test(path)

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')

type Counts = Record<string, number>
/** Counts the variants in each file, each with the term to use. */
export function countVariants(files: Files): { counts: Counts; uses: ReadonlyMap<string, string[]> } {
  const counts: Counts = {}
  const uses = new Map<string, string[]>()
  for (const [path, text] of getTexts(files, isForUsers)) {
    const sentences = withoutComments(text).replace(allowedPhrases, '')
    const variants = Object.entries(terms).flatMap(([variant, term]) =>
      Array.from({ length: sentences.split(variant).length - 1 }, () => `${variant} → ${term}`),
    )
    if (variants.length === 0) continue
    counts[path] = variants.length
    uses.set(path, [...new Set(variants)])
  }
  return { counts, uses }
}
