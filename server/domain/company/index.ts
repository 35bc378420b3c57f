/** The company: its glance at the month, its wage settings, its prepaid messages. Writes company and sms_entry. */
import type { Handler } from '../../runtime/handle.ts'
import { getIndex } from './home.ts'

export { todosOf } from './home.ts'
export { autoConfirmation, type Setting, type SettingChange, saveSetting, settingOf } from './setting.ts'
export { giveBackSms, takeSms } from './sms-account.ts'

export const companyHandlers: Handler[] = [getIndex]
