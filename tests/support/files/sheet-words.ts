/** Labels and texts of generated wage sheets in six languages. */
export interface Language {
  title: (month: number) => string
  unit: string
  money_unit: string
  index: string
  name: string
  department: string
  days: string
  remark: string
  info: string
  earnings: string
  deductions: string
  detail: string
  who: Record<string, string>
  earned: string[]
  accepted: string[]
  gross: string
  tax: string
  total_accepted: string
  net: string
  total: string
  subtotal: (department: string) => string
  signatures: [string, string, string]
  note: string
  names: string[]
  more: string[]
  departments: string[]
  decorate: (label: string, how: number) => string
}

const chinese = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二']
const mark = (label: string, how: number) => [`*${label}`, `${label}*`, ` ${label} `, label.replace(' ', '\n')][how] ?? label

const cn: Language = {
  title: (month) =>
    [
      `2026年${month}月份工资表`,
      `某某科技有限公司2026年${String(month).padStart(2, '0')}月工资发放表`,
      `二〇二六年${chinese[month]}月工资明细`,
      `工资条（2026-${String(month).padStart(2, '0')}）`,
    ][month % 4] ?? '',
  unit: '单位：元',
  money_unit: '元',
  index: '序号',
  name: '姓名',
  department: '部门',
  days: '出勤天数',
  remark: '备注',
  info: '员工信息',
  earnings: '应发项目',
  deductions: '扣款项目',
  detail: '明细',
  who: { employee_no: '工号', mobile: '手机号码', id_card: '身份证号码', bank_account: '银行卡号' },
  earned: ['基本工资', '岗位津贴', '绩效奖金'],
  accepted: ['养老保险', '医疗保险', '住房公积金'],
  gross: '应发合计',
  tax: '个人所得税',
  total_accepted: '扣款合计',
  net: '实发工资',
  total: '合 计',
  subtotal: (department) => `${department}小计`,
  signatures: ['制表：王芳', '审核：', '批准：'],
  note: '注：本月社保基数已调整，如有疑问请在三日内与人事部联系。',
  names: ['张三', '李四', '王 五', '赵六', '欧阳娜娜', '阿依古丽·买买提', '孙七', '周八'],
  more: ['甲', '乙', '丙'],
  departments: ['财务部', '销售一部', '生产车间'],
  decorate: (label, how) =>
    [`*${label}`, `${label}（必填）`, `${label.slice(0, 2)}\n${label.slice(2)}`, [...label].join(' ')][how] ?? label,
}
const en: Language = {
  title: (month) =>
    `Payroll for ${['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'][month - 1]} 2026`,
  unit: 'Currency: USD',
  money_unit: 'USD',
  index: 'No.',
  name: 'Employee Name',
  department: 'Department',
  days: 'Days Worked',
  remark: 'Remarks',
  info: 'Employee Information',
  earnings: 'Earnings',
  deductions: 'Deductions',
  detail: 'Details',
  who: { employee_no: 'Employee ID', mobile: 'Mobile Number', bank_account: 'Bank Account No' },
  earned: ['Basic Salary', 'Housing Allowance', 'Overtime Pay'],
  accepted: ['Pension', 'Loan', 'Health Insurance'],
  gross: 'Gross Pay',
  tax: 'Income Tax',
  total_accepted: 'Total Deductions',
  net: 'Net Pay',
  total: 'Total',
  subtotal: () => 'Subtotal',
  signatures: ['Prepared by: Ann', 'Checked by:', 'Approved by:'],
  note: 'Note: amounts include the holiday allowance of this month.',
  names: ['John Smith', "Mary O'Neil", 'Li Wei', 'Ana Souza', 'Omar Haddad', 'Kim Lee', 'Peter Park'],
  more: [' Jr', ' II', ' III'],
  departments: ['Sales', 'Finance', 'Warehouse'],
  decorate: mark,
}
const ja: Language = {
  title: (month) => `2026年${month}月分 給与一覧表`,
  unit: '単位：円',
  money_unit: '円',
  index: '番号',
  name: '氏名',
  department: '部署',
  days: '出勤日数',
  remark: '備考',
  info: '社員情報',
  earnings: '支給',
  deductions: '控除',
  detail: '内訳',
  who: { employee_no: '社員番号', mobile: '携帯番号', bank_account: '口座番号' },
  earned: ['基本給', '役職手当', '通勤手当'],
  accepted: ['健康保険', '厚生年金', '雇用保険'],
  gross: '総支給額',
  tax: '所得税',
  total_accepted: '控除合計',
  net: '差引支給額',
  total: '合計',
  subtotal: () => '小計',
  signatures: ['作成者：佐藤', '承認：', '確認：'],
  note: '注：今月分から健康保険料率が変更になりました。ご確認ください。',
  names: ['佐藤 太郎', '鈴木花子', '高橋一郎', '田中美咲', '伊藤健', '渡辺直美'],
  more: ['子', '郎', '美'],
  departments: ['営業部', '総務部', '製造部'],
  decorate: mark,
}
const ko: Language = {
  title: (month) => `2026년 ${month}월 급여대장`,
  unit: '단위: 원',
  money_unit: '원',
  index: '번호',
  name: '성명',
  department: '부서',
  days: '근무일수',
  remark: '비고',
  info: '인적사항',
  earnings: '지급내역',
  deductions: '공제내역',
  detail: '내역',
  who: { employee_no: '사번', mobile: '휴대폰', bank_account: '계좌번호' },
  earned: ['기본급', '식대', '상여금'],
  accepted: ['국민연금', '건강보험', '고용보험'],
  gross: '지급총액',
  tax: '소득세',
  total_accepted: '공제합계',
  net: '실수령액',
  total: '합계',
  subtotal: () => '소계',
  signatures: ['작성자: 김', '검토:', '승인:'],
  note: '비고: 이번 달부터 식대가 조정되었습니다.',
  names: ['홍길동', '김철수', '이영희', '박민수', '최지우', '정우성'],
  more: ['가', '나', '다'],
  departments: ['영업부', '총무부', '생산부'],
  decorate: mark,
}
const vi: Language = {
  title: (month) => `BẢNG LƯƠNG THÁNG ${month} NĂM 2026`,
  unit: 'Đơn vị: đồng',
  money_unit: 'đồng',
  index: 'STT',
  name: 'Họ và tên',
  department: 'Phòng ban',
  days: 'Ngày công',
  remark: 'Ghi chú',
  info: 'Thông tin nhân viên',
  earnings: 'Thu nhập',
  deductions: 'Các khoản khấu trừ',
  detail: 'Chi tiết',
  who: { employee_no: 'Mã nhân viên', mobile: 'Số điện thoại', bank_account: 'Số tài khoản' },
  earned: ['Lương cơ bản', 'Phụ cấp ăn trưa', 'Thưởng'],
  accepted: ['BHXH', 'BHYT', 'BHTN'],
  gross: 'Tổng thu nhập',
  tax: 'Thuế TNCN',
  total_accepted: 'Tổng khấu trừ',
  net: 'Thực lĩnh',
  total: 'Tổng cộng',
  subtotal: () => 'Cộng',
  signatures: ['Người lập: An', 'Kế toán trưởng:', 'Giám đốc:'],
  note: 'Ghi chú: tháng này có thưởng lễ cho toàn bộ nhân viên.',
  names: ['Nguyễn Văn A', 'Trần Thị B', 'Lê Văn C', 'Phạm Thị D', 'Hoàng Minh E'],
  more: [' Anh', ' Bình', ' Chi'],
  departments: ['Kinh doanh', 'Kế toán', 'Sản xuất'],
  decorate: mark,
}
const ru: Language = {
  title: (month) => `Расчётная ведомость за ${String(month).padStart(2, '0')}.2026`,
  unit: 'Валюта: руб.',
  money_unit: 'руб.',
  index: '№',
  name: 'ФИО',
  department: 'Отдел',
  days: 'Количество дней',
  remark: 'Примечание',
  info: 'Сотрудник',
  earnings: 'Начислено',
  deductions: 'Удержано',
  detail: 'Подробно',
  who: { employee_no: 'Табельный номер', mobile: 'Телефон', bank_account: 'Номер счета' },
  earned: ['Оклад', 'Премия', 'Надбавка'],
  accepted: ['Аванс', 'Профсоюз', 'Прочие удержания'],
  gross: 'Итого начислено',
  tax: 'НДФЛ',
  total_accepted: 'Итого удержано',
  net: 'К выплате',
  total: 'Итого',
  subtotal: () => 'Всего',
  signatures: ['Бухгалтер: Иванова', 'Директор:', 'Подпись:'],
  note: 'Примечание: в этом месяце выплачена премия за квартал.',
  names: ['Иванов Иван Иванович', 'Петрова А. С.', 'Сидоров П.П.', 'Смирнова Ольга', 'Кузнецов Олег'],
  more: [' мл.', ' ст.', ' II'],
  departments: ['Продажи', 'Склад', 'Финансы'],
  decorate: mark,
}

export const languages = { cn, en, ja, ko, vi, ru }
