/** What each kind of problem is called, what it means, and what one does about it. */

import { type IssueKind, rowsPerSheet } from '../../../server/contract/shared/schemas.ts'
import type { Issue, WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'

export const issueLevelLabels: Record<Issue['level'], string> = { error: '必须处理', warning: '请确认' }

/** A row as the sheet numbers it; where a batch has several sheets, with the sheet's name. Row 0 is the sheet as a whole. */
export function formatRowLabel(row: number, sections: WageSheetInfo['parts'] | undefined): string {
  if (row < 1) return '整张表'
  const sheet = sections && sections.length > 1 ? sections[Math.floor(row / rowsPerSheet)]?.sheet : undefined
  return `${sheet ? `「${sheet}」` : ''}第 ${row % rowsPerSheet} 行`
}

type IssueLabels = { name: string; means: string; todo: string }
export const issueLabels: Record<IssueKind, IssueLabels> = {
  no_name: {
    name: '没有姓名',
    means: '这些行没有写姓名，无法核对是谁的工资。',
    todo: '补上姓名，或指定是花名册里的哪一位；不发的行可以跳过。',
  },
  no_contact: {
    name: '没有手机号或工号',
    means: '花名册里没有这个名字，表里也没有手机号，不能新建。',
    todo: '名字写错的请改正；在花名册里的，指定是哪一位；新员工请在表里加上手机号，再上传改好的表。',
  },
  bad_mobile: {
    name: '手机号不对',
    means: '手机号应为 11 位数字，以 1 开头。',
    todo: '改成正确的手机号；已按其他信息找到本人的，确认即可。',
  },
  bad_id_card: {
    name: '身份证号不对',
    means: '位数或校验位不对，多半是抄错或被 Excel 截断。',
    todo: '按证件改正；不影响发工资条，也可以确认后继续。',
  },
  unknown_person: {
    name: '花名册里没有此人',
    means: '按姓名、手机号、工号都找不到这些人，可能是新员工。',
    todo: '新员工请创建；已在花名册里的，指定是哪一位；换了手机号的，让花名册改用此号码。',
  },
  several_persons: {
    name: '可能是多个人',
    means: '花名册里有同名的人，只凭表里的信息分不清。',
    todo: '逐个指定是哪一位，工资条才不会发错人。',
  },
  name_mismatch: {
    name: '姓名与花名册不同',
    means: '表里的号码在花名册里属于另一个名字，可能错行了。',
    todo: '先看前后几行是否错位；只是写错的，改正或指定人员。',
  },
  duplicate_person: {
    name: '同一人出现多次',
    means: '一批里一个人只能有一张工资条，这些行要逐个确认。',
    todo: '确是同一个人的，合成一张；重复的跳过；是另一个人的，指定给别人。',
  },
  several_rows: {
    name: '一个人有多行',
    means: '这些人在表里有几行，例如两个岗位、几个项目，或者应发、扣款各一行。',
    todo: '合成后每人一张工资条，各行分段显示，金额相加；不该合在一起的，分开处理。',
  },
  left_person: {
    name: '已离职',
    means: '这些人在花名册里已经离职。公司开放的「离职后查看」期内，本人凭手机验证码还能打开工资条。',
    todo: '离职后才发的最后一笔工资，照发即可；不发的请跳过；已经打不开的，用别的方式给工资条。',
  },
  out_of_scope: {
    name: '不在您的管理范围',
    means: '这些人所在的部门不归您管理。',
    todo: '请跳过，或请企业管理员调整您的管理范围。',
  },
  not_a_number: {
    name: '金额不是数字',
    means: '金额列里写了文字，不能计算。',
    todo: '改成数字；备注请写到别的列。',
  },
  formula_error: {
    name: '公式出错',
    means: '单元格里是公式错误（如 #REF!），或公式没有算出结果。',
    todo: '填上正确的金额，或在 Excel 里重新计算、保存后再上传。',
  },
  damaged_number: {
    name: '长号码末尾丢失',
    means: 'Excel 只保留 15 位数字，更长的号码末尾变成了 0。',
    todo: '按原件改正；在 Excel 里请把这一列设为「文本」。',
  },
  missing_net: {
    name: '没有实发金额',
    means: '实发是空的，不知道发多少。',
    todo: '填上实发；不发的人可以跳过。',
  },
  sum_mismatch: {
    name: '实发对不上',
    means: '应发减扣款不等于表里写的实发。',
    todo: '实发写错的，改为算出来的数；别的项写错的，点开整行改正；确实另有原因的，可以接受。',
  },
  slip_mismatch: {
    name: '工资条各项对不上',
    means: '工资条上的应发减扣款不等于实发，这样的工资条不能发出。',
    todo: '回到识别这一步，改正这些列的用途。',
  },
  rounding: {
    name: '相差几分',
    means: 'Excel 没有四舍五入，各项相加和表里写的差几分。',
    todo: '以表里写的为准，确认即可。',
  },
  negative_net: {
    name: '实发为负',
    means: '扣的比发的多，实发小于 0。',
    todo: '看一下扣款是否多扣；确实如此的，确认即可。',
  },
  net_outlier: {
    name: '实发与上次相差很大',
    means: '和本人以前的实发相比，多了或少了很多。',
    todo: '入职、离职、奖金等正常原因请确认；写错的请改正。',
  },
  tax_mismatch: {
    name: '个税对不上',
    means: '按累计预扣法算出的个税，与表里写的不同。',
    todo: '核对专项附加扣除和累计收入；以表里为准的，确认即可。',
  },
  total_row_mismatch: {
    name: '合计行对不上',
    means: '表里的合计与各行相加的结果不同，可能少了人，或有一行改过。',
    todo: '看一下合计公式是否包含了所有行。',
  },
  subtotal_mismatch: {
    name: '小计对不上',
    means: '部门小计（或其中一个表的合计）与它包含的各行相加的结果不同，可能漏了人，或有一行改过。',
    todo: '看一下小计的公式是否包含了这个部门的所有行；写错的请在表里改好，再上传改好的表。',
  },
  empty_row: {
    name: '没有任何金额',
    means: '这些行有人，但没有任何金额。',
    todo: '不发的请跳过；漏填的请填上实发。',
  },
  same_file: {
    name: '文件上传过',
    means: '完全相同的文件以前上传过。',
    todo: '确认不是重复发放，再继续。',
  },
  same_month: {
    name: '本月已发过',
    means: '同一标题、同一月份里，这些人已经有工资条。',
    todo: '补发的请确认；重复的请跳过。',
  },
  swapped_rows: {
    name: '两人的数对调了',
    means: '和上次相比，两个人的金额像是互换了。',
    todo: '核对是否粘贴错行：是的就换回来，不是的接受。',
  },
  shifted_rows: {
    name: '整列错行',
    means: '从某一行起，每个人的金额都像是上一行或下一行的。',
    todo: '多半是只给一列排了序，或少粘了一行。请在 Excel 里改好，再上传改好的表。',
  },
  column_moved: {
    name: '列的内容换了位置',
    means: '一列里的金额，上次是在另一列里。',
    todo: '看一下两列的表头是否写反；没有错的，确认即可。',
  },
  item_outlier: {
    name: '某一项相差很大',
    means: '某一项和本人以前几个月相差很大。',
    todo: '核对是否多写或少写一位；没有错的，确认即可。',
  },
  scale_changed: {
    name: '金额单位变了',
    means: '整列金额是以前的十倍、百倍或万倍，像是单位不同（元、分、万元）。',
    todo: '核对单位；写错的请在 Excel 里改好，再上传改好的表。',
  },
  unchanged: {
    name: '与上月一模一样',
    means: '所有金额都和上个月相同，可能忘了更新。',
    todo: '确认不是上个月的表，再继续。',
  },
  other_month: {
    name: '月份不一致',
    means: '表里写的月份，与您填的月份不同。',
    todo: '核对是哪个月的工资；月份可以回到第 1 步修改。',
  },
  roster_differs: {
    name: '与花名册不符',
    means: '表里的部门、岗位或入职日期，和花名册里这个人的不一样。',
    todo: '先看姓名和金额是否错行；人调动了、花名册还没改的，确认即可。',
  },
  card_moved: {
    name: '银行卡号是别人的',
    means: '表里写的银行卡号，在花名册里是另一位员工的，可能错行了。',
    todo: '先看姓名、金额和卡号是否对齐；确实用别人的卡收款的（例如夫妻共用），可以接受。',
  },
  card_new: {
    name: '银行卡号与花名册不同',
    means: '表里的银行卡号，花名册里没有，或此人登记的是另一张卡。',
    todo: '确认是本人的卡：换了卡的，让花名册改用此卡号；写错的请改正。',
  },
  account_moved: {
    name: '办公平台账号是别人的',
    means: '表里写的企业微信、飞书或钉钉账号，是另一位员工登录薪函用的，可能错行了。',
    todo: '先看姓名、金额和账号是否对齐；确认没有错的，可以接受。',
  },
  account_other: {
    name: '办公平台账号与登录的不同',
    means: '此人用另一个企业微信、飞书或钉钉账号登录过薪函。',
    todo: '写错的请改正；换了账号的，确认即可。',
  },
  hidden_row: {
    name: '隐藏的行',
    means: '这些行在表里是隐藏的，但会发工资条。',
    todo: '要发的请确认；不发的请跳过。',
  },
  same_number: {
    name: '号码与别人相同',
    means: '两个不同的人写着同一个手机号、身份证号或银行卡号，可能粘贴错了。',
    todo: '改成本人的号码；确实共用（例如夫妻共用手机号）就接受。',
  },
}
