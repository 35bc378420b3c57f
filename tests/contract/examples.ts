/** For every call an input that is right for company A, with A's real ids: the line that a new call adds here. */

export type Ids = {
  batch_id: string
  draft_id: string
  salary_id: string
  plan_id: string
  member_id: string
  other_member_id: string
  feedback_id: string
  title_id: string
  job_id: string
  file_id: string
  class_id: string
  corp_id: string
  row: number
}

const nobody = '00000000-0000-7000-8000-000000000000'
const none = (): Record<string, unknown> => ({})

export const examples: Record<string, (ids: Ids) => Record<string, unknown>> = {
  'POST /api/index/login': () => ({ phone: '13900000000', password: 'not the password' }),
  'POST /api/index/loginByCode': () => ({ phone: '13900000000', code: '000000', sms: nobody }),
  'POST /api/index/selectCorp': ({ corp_id }) => ({ corp_id }),
  'POST /api/index/logout': none,
  'POST /api/index/getVerifyCode': () => ({ phone: '13900000000', type: 'login' }),
  'POST /api/index/validatePhoneCode': () => ({ phone: '13900000000', code: '000000', sms: nobody }),
  'POST /api/index/updatePassword': () => ({
    type: 'resetpwd',
    phone: '13900000000',
    token: 'none',
    newpass: 'ein gutes Wort',
    confirm_password: 'ein gutes Wort',
  }),
  'POST /api/index/setEarlyPassword': () => ({ password: 'kurz', confirm_password: 'lang' }),
  'POST /api/User/role': none,
  'GET /api/index/getPublicInfo': none,
  'GET /api/Index/getTimeInfo': none,
  'POST /api/front_end/log': () => ({ level: 'error', message: 'test', url: '/home', release: 'test' }),
  'POST /api/User/userFeedBack': () => ({ contact_name: '张三', contact_tel: '13900000000', type: '1', content: '希望增加报表' }),
  'POST /api/User/getUserList': none,
  'POST /api/Member/getDepartList': none,
  'POST /api/Member/getMemberList': none,
  'POST /api/Member/getMemberInfo': ({ member_id }) => ({ id: member_id }),
  'POST /api/Member/insertMember': () => ({ name: '新同事', mobile: `188${String(Date.now()).slice(-8)}` }),
  'POST /api/Member/editMemberInfo': ({ other_member_id }) => ({ id: other_member_id, position: '工程师' }),
  'POST /api/Member/clearMember': ({ other_member_id }) => ({ id: other_member_id }),
  'POST /Api/Company/getIndex': none,
  'POST /api/wage/uploadWageExcel': ({ draft_id }) => ({ batch_id: draft_id, sheet: '工资表' }),
  'POST /api/wage/getTitleInfo': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/getDetailUpload': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/insertBatchTitle': ({ draft_id }) => ({ batch_id: draft_id, title: '十一月工资', month: '2026-11' }),
  'POST /api/wage/clearBatchTitle': ({ draft_id }) => ({ batch_id: draft_id }),
  'POST /api/wage/getLastBatchTitleInfo': none,
  'POST /api/wage/checkRequireColumnData': ({ draft_id }) => ({ batch_id: draft_id, columns: [{ key: 'c1', role: 'name' }] }),
  'POST /api/wage/checkWageData': ({ draft_id }) => ({ batch_id: draft_id }),
  'POST /api/wage/dealWithSalaryList': ({ draft_id, row }) => ({
    batch_id: draft_id,
    actions: [{ problem_id: `${row}:no_name:c1`, fix: 'skip' }],
  }),
  'POST /api/wage/getLayout': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/editPaySheetTitle': ({ draft_id }) => ({ batch_id: draft_id, hint: '如有疑问请联系人事' }),
  'POST /api/wage/insertClassify': ({ draft_id }) => ({ batch_id: draft_id, name: '津贴' }),
  'POST /api/wage/updateClassify': ({ draft_id, class_id }) => ({ batch_id: draft_id, class_id, name: '补贴' }),
  'POST /api/wage/clearClassify': ({ draft_id, class_id }) => ({ batch_id: draft_id, class_id }),
  'POST /api/wage/getPreview': ({ batch_id, row }) => ({ batch_id, row }),
  'POST /api/wage/getPreviewMember': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/insertCache': ({ draft_id }) => ({ wizard: { step: 'check', batch_id: draft_id } }),
  'POST /api/wage/fetchCache': none,
  'POST /api/wage/sendPaySheet': ({ draft_id }) => ({ batch_id: draft_id }),
  'POST /api/wage/doSend': ({ plan_id }) => ({ plan_id }),
  'POST /api/wage/getSendInfo': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/pauseSend': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/resumeSend': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/sendSingle': ({ salary_id }) => ({ salary_id }),
  'POST /api/wage/sendBatch': ({ batch_id }) => ({ batch_id, only: 'unviewed' }),
  'POST /api/wage/withdrawSingleSalary': ({ salary_id }) => ({ salary_id }),
  'POST /api/wage/withdrawBatchPaySheet': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/getWageList': none,
  'POST /api/wage/getBatchList': ({ title_id }) => ({ title_id }),
  'POST /api/wage/getWageDetail': ({ batch_id }) => ({ batch_id }),
  'POST /api/wage/getSalary': ({ salary_id }) => ({ salary_id }),
  'POST /api/wage/editSalaryDetail': ({ salary_id }) => ({ salary_id, cells: [{ key: 'c5', value: '1.00' }], reason: '更正' }),
  'POST /api/wage/getSalaryModifyLog': ({ salary_id }) => ({ salary_id }),
  'POST /api/wage/exportWageDetail': ({ batch_id }) => ({ batch_id, what: 'detail' }),
  'POST /api/wage/getExportStatus': ({ job_id }) => ({ job_id }),
  'GET /api/wage/setting': none,
  'POST /api/wage/setting/feedback': () => ({ status: true }),
  'POST /api/wage/setting/confirm': () => ({ status: true }),
  'GET /api/wage/setting/confirm_rule': none,
  'POST /api/wage/setting/confirm_rule': () => ({ auto_confirm_days: 0 }),
  'DELETE /api/wage/setting/confirm_rule': () => ({ remind_day: 3 }),
  'GET /api/wage/setting/send_rule': none,
  'POST /api/wage/setting/send_rule': () => ({ watermark: true }),
  'DELETE /api/wage/setting/send_rule': ({ other_member_id }) => ({ remind_member: other_member_id }),
  'POST /api/wage/getFeedBackList': none,
  'POST /api/wage/getFeedBackDetail': ({ feedback_id }) => ({ id: feedback_id }),
  'POST /api/wage/handleFeedback': ({ feedback_id }) => ({ id: feedback_id, action: 'reply', content: '已核对' }),
  'POST /Api/Mobile/getMe': none,
  'POST /Api/Mobile/getSlipList': none,
  'POST /Api/Mobile/getSlip': ({ salary_id }) => ({ slip_id: salary_id }),
  'POST /Api/Mobile/unlock': () => ({ password: 'not the password' }),
  'POST /Api/Mobile/confirmSlip': ({ salary_id }) => ({ slip_id: salary_id, version: 1 }),
  'POST /Api/Mobile/feedbackSlip': ({ salary_id }) => ({ slip_id: salary_id, content: '绩效是否少了' }),
  'POST /Api/Mobile/getFeedback': ({ salary_id }) => ({ slip_id: salary_id }),
  'POST /Api/Mobile/setPayHide': () => ({ hide: true }),
  'POST /api/agency/getCorpList': none,
  'POST /api/Notice/getNoticeList': none,
  'POST /api/Notice/read': () => ({ ids: [] }),
  'GET /api/member/getImportSampleFile': () => ({ type: 'wage' }),
  'POST /api/index/getDownloadTicket': ({ file_id }) => ({ file_id }),
  'GET /api/index/download': () => ({ oss_path: 'no-such-ticket' }),
}
