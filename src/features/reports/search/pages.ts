/** Pages, settings and questions, found by keywords or their pinyin initials. The page itself defines who may open it. */

export type SearchablePage = {
  readonly path: string
  readonly title: string
  /** Synonyms, and the pinyin initials of title and synonyms. */
  readonly keywords: string
  /** The answer, if it is a question. */
  readonly answer?: string
}

export const searchablePages: readonly SearchablePage[] = [
  { path: '/wageSend1', title: '发工资条', keywords: '上传工资表 fgzt scgzb' },
  { path: '/wageAdmin', title: '工资条管理', keywords: '批次 撤回 提醒 gztgl' },
  {
    path: '/wageSet',
    title: '工资条设置',
    keywords: '反馈 确认 自动确认 提醒 渠道 阅后即焚 查看密码 查看前验证身份 水印 模板 sz gztsz',
  },
  { path: '/companyMember', title: '花名册', keywords: '员工 部门 导入 邀请 hmc yg' },
  { path: '/memberFeedback', title: '员工反馈', keywords: '有疑问 回复 ygfk' },
  { path: '/chars/home', title: '数据看板', keywords: '图表 统计 平均工资 对比 sjkb tb' },
  { path: '/salaryTax/history/list', title: '个税申报', keywords: '预扣 专项附加 社保 公积金 年度汇算 退税 试算 gssb' },
  { path: '/salaryTax/deduct/added', title: '专项附加扣除', keywords: '子女教育 房贷 赡养 zxfjkc' },
  { path: '/salaryTax/deduct/fiveRisks', title: '社保公积金', keywords: '五险一金 基数 方案 sbgjj wxyj' },
  { path: '/rolePersonal', title: '企业管理员', keywords: '权限 角色 qygly' },
  { path: '/roleWage', title: '薪酬管理员', keywords: '权限 管理范围 移交 xcgly' },
  { path: '/companyInfo', title: '基本信息', keywords: '企业名称 税号 标志 logo jbxx' },
  { path: '/companyOrder', title: '订单管理', keywords: '发票 短信 购买 ddgl' },
  { path: '/CompanyService', title: '服务管理', keywords: '版本 试用 fwgl' },
  { path: '/companyThird', title: '办公平台', keywords: '飞书 企业微信 钉钉 绑定 同步 bgpt' },
  { path: '/agency', title: '待办与通知', keywords: '审批 通知 db tz' },
  { path: '/strategic', title: '资讯', keywords: '新闻 政策 zx' },
  { path: '/profile', title: '我的账号', keywords: '密码 手机号 登录设备 两步验证 头像 wdzh' },
]

export const helpQuestions: readonly SearchablePage[] = [
  {
    path: '/wageAdmin',
    title: '发错了怎么撤回？',
    keywords: '撤回 收回 发错 ch',
    answer: '在「工资条管理」打开这一批，点「撤回」；也可以只撤回一个人。撤回以后员工立刻看不到，还没有发出的不再发送。',
  },
  {
    path: '/wageAdmin',
    title: '金额填错了怎么更正？',
    keywords: '更正 修改 改错 gz xg',
    answer: '在工资条详情里点这个人的「更正」，改好并写明原因；员工会收到更正提示，之前的确认作废，修改记录会保留。',
  },
  {
    path: '/wageAdmin',
    title: '有人没看工资条，怎么提醒？',
    keywords: '提醒 未读 没看 tx wd',
    answer: '在工资条详情里点「提醒未读」；一个人一天最多提醒 3 次。也可以在「工资条设置」里设自动提醒的日子。',
  },
  {
    path: '/companyMember',
    title: '员工收不到怎么办？',
    keywords: '收不到 手机号 没收到 sbd',
    answer: '先在花名册里核对手机号和姓名；在工资条详情里看失败的原因，改好以后点「重发」，也可以复制链接发给本人。',
  },
  {
    path: '/wageSend1',
    title: '工资表要什么格式？',
    keywords: '格式 模板 excel 表头 gs',
    answer: 'xlsx、xls、csv、ods 都可以，不需要按固定模板；有姓名和实发工资就能识别，识别得不对的列可以当场改。',
  },
  {
    path: '/companyMember',
    title: '怎么导入员工？',
    keywords: '导入 花名册 批量 dr',
    answer: '在花名册点「导入」，上传任何一份员工表；先看每一行会怎样处理，确认以后才写入，一天之内可以整批撤销。',
  },
  {
    path: '/roleWage',
    title: '怎么让同事也能发工资条？',
    keywords: '添加管理员 权限 授权 tjgly',
    answer: '企业管理员在「薪酬管理员」里添加，并选择他管理的部门；他只看得到这些部门的人。',
  },
  {
    path: '/wageAdmin',
    title: '怎么把一批工资条给同事看？',
    keywords: '共享 分享 gx',
    answer: '在「工资条管理」切换到标题，点「共享」，选同事和权限（查看或管理）；随时可以收回。',
  },
  {
    path: '/chars/home',
    title: '为什么看板里有的部门没有数据？',
    keywords: '看板 部门 不足 kb',
    answer: '没有查看工资条权限的管理员，只能看到至少 3 个人的合计；人数更少的部门会并入上级部门。',
  },
  {
    path: '/profile',
    title: '忘记密码或换了手机号怎么办？',
    keywords: '密码 手机号 换号 mm sjh',
    answer: '登录页点「忘记密码」用验证码重设；登录以后在「我的账号」里更换手机号。',
  },
  {
    path: '/wageSet',
    title: '离职员工还能看工资条吗？',
    keywords: '离职 离开 lz',
    answer: '默认离职后 24 个月内可以看自己的工资条，每次先用手机验证码确认；在「工资条设置」里可以改。',
  },
]

/** Matches a part of the title or keywords; Latin letters match from the beginning of a word. */
export function searchPages(pages: readonly SearchablePage[], text: string): SearchablePage[] {
  const normalized = text.trim().toLowerCase()
  if (normalized === '') return []
  const isLetters = /^[a-z]+$/.test(normalized)
  return pages.filter(({ title, keywords }) =>
    isLetters
      ? keywords.split(' ').some((keyword) => keyword.startsWith(normalized)) || title.toLowerCase().includes(normalized)
      : `${title} ${keywords}`.includes(normalized),
  )
}
