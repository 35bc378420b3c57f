import type { RetentionKind } from '../../../server/contract/retention/retention.ts'

export const retentionLabels: Readonly<Record<RetentionKind, string>> = {
  audit_log: '操作记录',
  sign_in_log: '登录记录',
  sheet_file: '工资表原文件',
  export_file: '导出的文件',
  payslip: '工资条',
  terminated_member: '离职员工资料',
}

/** What the kind contains, and why it has a lower bound. */
export const retentionMeanings: Readonly<Record<RetentionKind, string>> = {
  audit_log: '谁在什么时候查看、修改、发送了什么。至少 36 个月（个人信息保护法第 56 条）',
  sign_in_log: '登录、登录失败和退出。至少 6 个月（网络安全法第 21 条）',
  sheet_file: '上传的 Excel 文件，从发送完成之日算起；工资条和明细不受影响。至少 24 个月（工资支付暂行规定第 6 条）',
  export_file: '从工资条生成的 Excel、PDF 和证据文件，可以重新导出。至少 1 个月',
  payslip:
    '整批工资表，连同工资条、反馈、更正和签收凭证，从发送完成之日算起；有未答复的反馈时不删。员工之后打不开这些工资条，图表里也没有这几个月。至少 24 个月（工资支付暂行规定第 6 条）',
  terminated_member:
    '离职员工的身份证号、银行卡号、邮箱、原手机号、专项附加扣除、社保公积金、邀请和变更记录，从离职之日算起；姓名、手机号、任职时间和个税计算结果保留。至少 72 个月（专项附加扣除资料自次年起留存 5 年）',
}

export const formatMonths = (months: number | null): string => {
  if (months === null) return '一直保存'
  return months % 12 === 0 ? `${months / 12} 年` : `${months} 个月`
}
