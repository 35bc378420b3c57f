/** The name, meaning and remedy of each kind of issue. */

import { type IssueKind, rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'
import type { Issue, WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'

export const issueLevelLabels: Record<Issue['level'], string> = { error: '必须处理', warning: '请确认' }

/** Formats a row number as in the wage sheet, with the sheet's name if the batch has several. Row 0 means the whole sheet. */
export function formatRowLabel(row: number, sections: WageSheetInfo['parts'] | undefined): string {
  if (row < 1) return '整张表'
  const sheet = sections && sections.length > 1 ? sections[Math.floor(row / rowsPerSheet)]?.sheet : undefined
  return `${sheet ? `「${sheet}」` : ''}第 ${row % rowsPerSheet} 行`
}

type IssueLabels = { name: string; description: string; advice: string }
export const issueLabels: Record<IssueKind, IssueLabels> = {
  no_name: {
    name: '没有姓名',
    description: '这些行没有写姓名，无法核对是谁的工资。',
    advice: '补上姓名，或指定是花名册里的哪一位；不发的行可以跳过。',
  },
  no_contact: {
    name: '缺少手机号',
    description: '花名册里没有这个名字，表里也没有手机号，不能新建。',
    advice: '名字写错的请改正；在花名册里的，指定是哪一位；手机号在另一份文件里的，导入花名册即可匹配。',
  },
  bad_mobile: {
    name: '手机号不对',
    description: '手机号应为 11 位数字，以 1 开头。',
    advice: '改成正确的手机号；已按其他信息找到本人的，确认即可。',
  },
  bad_id_card: {
    name: '身份证号不对',
    description: '位数或校验位不对，多半是抄错或被 Excel 截断。',
    advice: '按证件改正；不影响发工资条，也可以确认后继续。',
  },
  unknown_person: {
    name: '花名册里没有此人',
    description: '按姓名、手机号、工号都找不到这些人，可能是新员工。',
    advice: '新员工请创建；已在花名册里的，指定是哪一位；换了手机号的，让花名册改用此号码。',
  },
  several_persons: {
    name: '可能是多个人',
    description: '花名册里有同名的人，只凭表里的信息分不清。',
    advice: '逐个指定是哪一位，工资条才不会发错人。',
  },
  name_mismatch: {
    name: '姓名与花名册不同',
    description: '表里的号码在花名册里属于另一个名字，可能错行了。',
    advice: '先看前后几行是否错位；只是写错的，改正或指定人员。',
  },
  duplicate_person: {
    name: '同一人出现多次',
    description: '一批里一个人只能有一张工资条，这些行要逐个确认。',
    advice: '确是同一个人的，合成一张；重复的跳过；是另一个人的，指定给别人。',
  },
  several_rows: {
    name: '一个人有多行',
    description: '这些人在表里有几行，例如两个岗位、几个项目，或者应发、扣款各一行。',
    advice: '合成后每人一张工资条，各行分段显示，金额相加；不该合在一起的，分开处理。',
  },
  left_person: {
    name: '已离职',
    description: '这些人在花名册里已经离职。公司开放的「离职后查看」期内，本人凭手机验证码还能打开工资条。',
    advice: '离职后才发的最后一笔工资，照发即可；不发的请跳过；已经打不开的，用别的方式给工资条。',
  },
  out_of_scope: {
    name: '不在您的管理范围',
    description: '这些人所在的部门不归您管理。',
    advice: '请跳过，或请企业管理员调整您的管理范围。',
  },
  not_a_number: {
    name: '金额不是数字',
    description: '金额列里写了文字，不能计算。',
    advice: '改成数字；备注请写到别的列。',
  },
  formula_error: {
    name: '公式出错',
    description: '单元格里是公式错误（如 #REF!），或公式没有算出结果。',
    advice: '填上正确的金额，或在 Excel 里重新计算、保存后再上传。',
  },
  damaged_number: {
    name: '长号码末尾丢失',
    description: 'Excel 只保留 15 位数字，更长的号码末尾变成了 0。',
    advice: '按原件改正；在 Excel 里请把这一列设为「文本」。',
  },
  missing_net: {
    name: '没有实发金额',
    description: '实发是空的，不知道发多少。',
    advice: '填上实发；不发的人可以跳过。',
  },
  sum_mismatch: {
    name: '实发对不上',
    description: '应发减扣款不等于表里写的实发。',
    advice: '实发写错的，改为算出来的数；别的项写错的，点开整行改正；确实另有原因的，可以接受。',
  },
  slip_mismatch: {
    name: '工资条各项对不上',
    description: '工资条上的应发减扣款不等于实发，这样的工资条不能发出。',
    advice: '回到识别这一步，改正这些列的用途。',
  },
  rounding: {
    name: '相差几分',
    description: 'Excel 没有四舍五入，各项相加和表里写的差几分。',
    advice: '以表里写的为准，确认即可。',
  },
  negative_net: {
    name: '实发为负',
    description: '扣的比发的多，实发小于 0。',
    advice: '看一下扣款是否多扣；确实如此的，确认即可。',
  },
  net_outlier: {
    name: '实发与上次相差很大',
    description: '和本人以前的实发相比，多了或少了很多。',
    advice: '入职、离职、奖金等正常原因请确认；写错的请改正。',
  },
  tax_mismatch: {
    name: '个税对不上',
    description: '按累计预扣法算出的个税，与表里写的不同。',
    advice: '核对专项附加扣除和累计收入；以表里为准的，确认即可。',
  },
  total_row_mismatch: {
    name: '合计行对不上',
    description: '表里的合计与各行相加的结果不同，可能少了人，或有一行改过。',
    advice: '看一下合计公式是否包含了所有行。',
  },
  subtotal_mismatch: {
    name: '小计对不上',
    description: '部门小计（或其中一个表的合计）与它包含的各行相加的结果不同，可能漏了人，或有一行改过。',
    advice: '看一下小计的公式是否包含了这个部门的所有行；写错的请在表里改好，再上传改好的表。',
  },
  empty_row: {
    name: '没有任何金额',
    description: '这些行有人，但没有任何金额。',
    advice: '不发的请跳过；漏填的请填上实发。',
  },
  same_file: {
    name: '文件上传过',
    description: '完全相同的文件以前上传过。',
    advice: '确认不是重复发放，再继续。',
  },
  same_month: {
    name: '本月已发过',
    description: '同一标题、同一月份里，这些人已经有工资条。',
    advice: '补发的请确认；重复的请跳过。',
  },
  swapped_rows: {
    name: '两人金额疑似互换',
    description: '和上次相比，两个人的金额像是互换了。',
    advice: '核对是否粘贴错行：是的请换回，不是的请接受。',
  },
  shifted_rows: {
    name: '整列错行',
    description: '从某一行起，每个人的金额都像是上一行或下一行的。',
    advice: '多半是只给一列排了序，或少粘了一行。请在 Excel 里改好，再上传改好的表。',
  },
  column_moved: {
    name: '列的内容换了位置',
    description: '一列里的金额，上次是在另一列里。',
    advice: '看一下两列的表头是否写反；没有错的，确认即可。',
  },
  item_outlier: {
    name: '某一项相差很大',
    description: '某一项和本人以前几个月相差很大。',
    advice: '核对是否多写或少写一位；没有错的，确认即可。',
  },
  scale_changed: {
    name: '金额单位变了',
    description: '整列金额是以前的十倍、百倍或万倍，像是单位不同（元、分、万元）。',
    advice: '核对单位；写错的请在 Excel 里改好，再上传改好的表。',
  },
  unchanged: {
    name: '与上月一模一样',
    description: '所有金额都和上个月相同，可能忘了更新。',
    advice: '确认不是上个月的表，再继续。',
  },
  other_month: {
    name: '月份不一致',
    description: '表里写的月份，与您填的月份不同。',
    advice: '核对是哪个月的工资；月份可以回到第 1 步修改。',
  },
  roster_differs: {
    name: '与花名册不符',
    description: '表里的部门、岗位或入职日期，和花名册里这个人的不一样。',
    advice: '先看姓名和金额是否错行；人调动了、花名册还没改的，确认即可。',
  },
  card_moved: {
    name: '银行卡号是别人的',
    description: '表里写的银行卡号，在花名册里是另一位员工的，可能错行了。',
    advice: '先看姓名、金额和卡号是否对齐；确实用别人的卡收款的（例如夫妻共用），可以接受。',
  },
  card_new: {
    name: '银行卡号与花名册不同',
    description: '表里的银行卡号，花名册里没有，或此人登记的是另一张卡。',
    advice: '确认是本人的卡：换了卡的，让花名册改用此卡号；写错的请改正。',
  },
  account_moved: {
    name: '办公平台账号是别人的',
    description: '表里写的企业微信、飞书或钉钉账号，是另一位员工登录薪函用的，可能错行了。',
    advice: '先看姓名、金额和账号是否对齐；确认没有错的，可以接受。',
  },
  account_other: {
    name: '办公平台账号与登录的不同',
    description: '此人用另一个企业微信、飞书或钉钉账号登录过薪函。',
    advice: '写错的请改正；换了账号的，确认即可。',
  },
  hidden_row: {
    name: '隐藏的行',
    description: '这些行在表里是隐藏的，但会发工资条。',
    advice: '要发的请确认；不发的请跳过。',
  },
  same_number: {
    name: '号码与别人相同',
    description: '两个不同的人写着同一个手机号、身份证号或银行卡号，可能粘贴错了。',
    advice: '改成本人的号码；确实共用（例如夫妻共用手机号）就接受。',
  },
}
