/**
 * Plans of the demo companies and their staff: the same every time. Phones are in 199000xxxxx, which is not assigned to
 * anyone.
 */
import type { CorpRole, Edition, Power } from '../contract/access.ts'
import type { SeededRandom } from './random.ts'

/** A department with its children. */
export type DepartmentPlan = {
  readonly name: string
  readonly member_count: number
  readonly children?: readonly DepartmentPlan[]
}
export type CompanyPlan = {
  readonly name: string
  /** The company's digit in phones. */
  readonly number: number
  /** The number of this set among several demo sets; two digits of the phones. */
  readonly set?: number
  readonly corp_role: CorpRole
  readonly edition: Edition
  /** Remaining days of the edition; null: does not expire. */
  readonly days_left: number | null
  readonly on_trial?: boolean
  readonly provider: 'lark' | null
  readonly sms_left: number
  readonly root: readonly DepartmentPlan[]
  /** Number of employees who joined and left within these months. */
  readonly terminated_count: number
  readonly pay: 'office' | 'kitchen' | 'none'
  readonly admins: readonly {
    readonly at: number
    readonly who: string
    readonly power: readonly Power[]
    readonly scope: 'all' | readonly string[]
  }[]
}

/** Index of the employee of the first company who is also the accountant of the second one. */
export const sharedStaffIndex = 5

export const companyPlans: readonly CompanyPlan[] = [
  {
    name: '云杉科技',
    number: 1,
    corp_role: 10,
    edition: 60,
    days_left: 300,
    provider: 'lark',
    sms_left: 5000,
    root: [
      {
        name: '综合管理部',
        member_count: 18,
      },
      {
        name: '研发中心',
        member_count: 6,
        children: [
          { name: '平台研发部', member_count: 26 },
          { name: '应用研发部', member_count: 24 },
          { name: '质量保障部', member_count: 12 },
        ],
      },
      {
        name: '营销中心',
        member_count: 4,
        children: [
          { name: '市场部', member_count: 14 },
          { name: '销售部', member_count: 24 },
        ],
      },
    ],
    terminated_count: 3,
    pay: 'office',
    admins: [
      { at: 0, who: '系统管理员（全部权限）', power: ['4'], scope: 'all' },
      { at: 1, who: '企业管理员', power: ['1'], scope: 'all' },
      { at: 2, who: '薪酬管理员（全公司）', power: ['2'], scope: 'all' },
      { at: 3, who: '薪酬管理员（市场部、销售部）', power: ['2'], scope: ['市场部', '销售部'] },
      { at: 4, who: '员工管理员', power: ['3'], scope: 'all' },
    ],
  },
  {
    name: '小满餐饮',
    number: 2,
    corp_role: 10,
    edition: 60,
    days_left: 18,
    on_trial: true,
    provider: null,
    sms_left: 120,
    root: [
      { name: '店务管理', member_count: 4 },
      { name: '前厅', member_count: 11 },
      { name: '后厨', member_count: 8 },
    ],
    terminated_count: 1,
    pay: 'kitchen',
    admins: [
      { at: 0, who: '老板（全部权限）', power: ['4'], scope: 'all' },
      // The accountant follows after the company's own employees.
      { at: 23, who: '薪酬管理员（同时是云杉科技的员工）', power: ['2'], scope: 'all' },
    ],
  },
  {
    name: '诚达人力',
    number: 3,
    corp_role: 20,
    edition: 60,
    days_left: null,
    provider: null,
    sms_left: 0,
    root: [{ name: '客户服务部', member_count: 5 }],
    terminated_count: 0,
    pay: 'none',
    admins: [
      { at: 0, who: '代理企业负责人（全部权限）', power: ['4'], scope: 'all' },
      { at: 1, who: '代理企业管理员', power: ['1', '2'], scope: 'all' },
    ],
  },
]

const surnames =
  '王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤'
const inputNames =
  '伟 芳 娜 敏 静 丽 强 磊 洋 艳 勇 军 杰 娟 涛 明 超 霞 平 刚 建国 秀英 志强 晓云 婷婷 雨桐 子涵 浩然 思远 梓萱 宇航 欣怡 嘉豪 佳琪 文博 俊杰 雪梅 海燕 玉兰 春生 立新 国庆 晨曦 若曦 一诺 景行 书瑶 怀瑾 清扬 望舒 知遥 晚秋 朝阳 慕白 予安 星野 南乔 砚清 时雨 疏影'.split(
    ' ',
  )
/** Long names, two-character surnames, and two pairs of equal names: cases that a wage sheet has to handle. */
const fixedNames: Readonly<Record<number, string>> = {
  0: '沈知遥',
  1: '顾怀瑾',
  2: '林晚秋',
  3: '江望舒',
  4: '许清扬',
  5: '苏砚清',
  20: '欧阳若曦',
  33: '迪丽努尔·艾合买提江',
  41: '王伟',
  58: '阿卜杜热合曼·买买提伊明',
  67: '诸葛明',
  77: '李静',
  89: '王伟',
  104: 'Christopher Nakamura-Andersen',
  119: '李静',
}

/** Returns a name; the first company has fixed names at some indexes. */
export function getDemoName(company: number, index: number, random: SeededRandom): string {
  const fixed = company === 1 ? fixedNames[index] : undefined
  const generated = `${random.pick([...surnames])}${random.pick(inputNames)}`
  return fixed ?? generated
}

/** Returns for example `19900010003`: the third employee of the first company. */
export const getDemoPhone = ({ number, set = 0 }: CompanyPlan, at: number): string =>
  `1990${String(set).padStart(2, '0')}${number}${String(at + 1).padStart(4, '0')}`
