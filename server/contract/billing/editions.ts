/**
 * The features of each edition in one table. The server refuses by it (`requiredFeature` of a call), pages show it. 50:
 * free · 53 and 60: plus. After its expiry a company has the free edition without any action at that moment. Does not
 * import the schema library, so that pages that only show it do not load it.
 */
import type { Edition } from '../access.ts'

export const features = ['templates', 'mail', 'charts', 'tax'] as const
export type Feature = (typeof features)[number]

/** The name of a feature where it is sold and where it is refused. */
export const featureLabels: Readonly<Record<Feature, string>> = {
  templates: '保存和套用工资条模板',
  mail: '邮件送达工资条',
  charts: '按年导出员工工资',
  tax: '个税、五险一金与申报表',
}

const featuresByEdition: Readonly<Record<Edition, readonly Feature[]>> = {
  50: [],
  53: ['templates', 'mail', 'charts'],
  60: ['templates', 'mail', 'charts', 'tax'],
}

export const editionLabels: Readonly<Record<Edition, string>> = { 50: '免费版', 53: '高级版', 60: '高级版（全功能）' }

export const baseFeatureLabels = [
  '上传、核对和排版工资表',
  '短信、办公平台或链接送达',
  '查看、确认与反馈',
  '花名册与角色',
] as const

export const hasFeature = (edition: Edition, feature: Feature): boolean => featuresByEdition[edition].includes(feature)

type EditionRow = { readonly edition: number; readonly edition_until: Date | null }
export const getCurrentEdition = ({ edition, edition_until }: EditionRow, now: Date): Edition =>
  edition_until && edition_until <= now ? 50 : edition === 60 || edition === 53 ? edition : 50
