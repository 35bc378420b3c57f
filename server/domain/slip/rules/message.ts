/** The words of a message. It says that there is a slip and where; never an amount, never a name. */
import { plainName } from '../../../contract/words.ts'
import { purposeOf } from './outcome.ts'

/**
 * Where a slip is read. The address is different for every version and reminder, because WeCom drops a message whose content it has
 * seen within hours; it carries no authority, whoever opens it must sign in as its owner.
 */
export function linkOf(origin: string, slip: { salary_id: string; version: number; purpose: string }): string {
  const address = `${origin}/m/slip/${slip.salary_id}`
  const purpose = purposeOf(slip.purpose)
  if (purpose === 'corrected') return `${address}?v=${slip.version}`
  if (purpose === 'remind') return `${address}?r=${slip.purpose.replace(/^remind-/, '').replaceAll('-', '')}`
  return address
}

const saying = { slip: '已发放，请登录查看', corrected: '有更正，请登录查看', remind: '还未查看，请登录查看' }

export function messageText(it: { corp_name: string; title: string; purpose: string; link: string }): string {
  return `【薪函】${plainName(it.corp_name, 40)}：您的${plainName(it.title, 40) || '工资条'}${saying[purposeOf(it.purpose)]}：${it.link}`
}

/** 张三丰 → 张**, for lists of what was sent. */
export const maskName = (name: string): string => {
  const [first = ''] = name
  return `${first}${'*'.repeat(Math.min(3, Math.max(1, [...name].length - 1)))}`
}
