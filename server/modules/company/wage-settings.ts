/** Wage settings of a company, stored in `company.setting`: only values that differ from the defaults. */

import type { CallOutput } from '../../contract/call.ts'
import type { getWageSettings } from '../../contract/payslips/send.ts'
import type { ChatProvider } from '../../contract/shared/providers.ts'
import { can, defaultAnswerDays, defaultTerminatedAccessMonths } from '../../contract/shared/statuses.ts'
import type { Tx } from '../../database/database.ts'
import { fail } from '../../http/handler.ts'
import { memberView } from '../directory/read-model.ts'
import { hasMailbox } from './mailbox.ts'

export type WageSettings = Omit<CallOutput<typeof getWageSettings>, 'can_edit' | 'lock_screen'>
type WageRules = WageSettings['confirm_rule'] &
  Omit<WageSettings['send_rule'], 'remind_members' | 'weChat'> & { weChat: boolean } & Pick<
    WageSettings,
    'feedback' | 'confirm' | 'terminated_access_months' | 'answer_within_days'
  >
/** The possible changes; lists are changed one entry at a time, so that two administrators do not overwrite each other. */
export type WageSettingsChange = Partial<Omit<WageRules, 'remind_days'>> & {
  readonly add_remind_day?: number
  readonly clear_remind_day?: number
  /** An active member of this company; anything else is `not_found`. */
  readonly add_remind_member?: string
  readonly clear_remind_member?: string
  /**
   * When the setting was changed: the number of days to automatic confirmation applies to payslips sent from then on.
   */
  readonly at?: Date
}
type StoredWageSettings = Partial<WageRules> & { remind_members?: string[]; auto_confirm_since?: string }

const defaultWageRules: WageRules = {
  feedback: true,
  confirm: true,
  terminated_access_months: defaultTerminatedAccessMonths,
  answer_within_days: defaultAnswerDays,
  auto_confirm_days: 0,
  remind_days: [],
  weChat: true,
  sms: true,
  email: true,
  link: true,
  view_password: false,
  burn_after_minutes: 0,
  watermark: true,
  undo_seconds: 60,
  approve_from: 0,
}
type CompanyTx = { readonly db: Tx; readonly company_id: string }
const parseStoredSettings = ({ setting }: { readonly setting: unknown }): StoredWageSettings => setting as StoredWageSettings

/** Loads the effective settings. */
export async function loadWageSettings({ db, company_id }: CompanyTx): Promise<WageSettings> {
  const company = await db
    .selectFrom('company')
    .select(['setting', 'corp_origin'])
    .select(hasMailbox(company_id).as('has_mailbox'))
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  const { remind_members = [], ...stored } = parseStoredSettings(company)
  const rules = { ...defaultWageRules, ...stored }
  const remindedMembers =
    remind_members.length === 0
      ? []
      : await db
          .selectFrom(memberView)
          .select(['id as member_id', 'name'])
          .where('company_id', '=', company_id)
          .where('id', 'in', remind_members)
          .where('status', '<>', 'left')
          .orderBy('name')
          .orderBy('id')
          .execute()
  return {
    feedback: rules.feedback,
    confirm: rules.confirm,
    terminated_access_months: rules.terminated_access_months,
    answer_within_days: rules.answer_within_days,
    confirm_rule: { auto_confirm_days: rules.auto_confirm_days, remind_days: rules.remind_days },
    send_rule: {
      weChat: rules.weChat && can.chat(company) === true ? 1 : 0,
      sms: rules.sms,
      email: rules.email && company.has_mailbox,
      link: rules.link,
      remind_members: remindedMembers,
      view_password: rules.view_password,
      burn_after_minutes: rules.burn_after_minutes,
      watermark: rules.watermark,
      undo_seconds: rules.undo_seconds,
      approve_from: rules.approve_from,
    },
    has_mailbox: company.has_mailbox,
  }
}

/** Returns the chat platform to which the company is bound. */
export async function getBoundProvider({ db, company_id }: CompanyTx) {
  const { provider } = await db.selectFrom('company').select('provider').where('id', '=', company_id).executeTakeFirstOrThrow()
  return provider
}

/** Sets the chat platform to which the company is bound; null: none. */
export const setBoundProvider = ({ db, company_id }: Pick<CompanyTx, 'db' | 'company_id'>, provider: ChatProvider | null) =>
  db.updateTable('company').set({ provider }).where('id', '=', company_id).execute()

/**
 * Returns after how many days payslips are confirmed automatically (0: never) and since when the rule applies: earlier
 * payslips keep their own rule.
 */
export async function getAutoConfirmation({ db, company_id }: CompanyTx): Promise<{ days: number; since: Date | null }> {
  const company = await db.selectFrom('company').select('setting').where('id', '=', company_id).executeTakeFirstOrThrow()
  const { auto_confirm_days, auto_confirm_since } = parseStoredSettings(company)
  return {
    days: auto_confirm_days ?? defaultWageRules.auto_confirm_days,
    since: auto_confirm_since ? new Date(auto_confirm_since) : null,
  }
}

/** Returns the number of working days within which feedback on a payslip must be answered; 0: no limit. */
export async function getAnswerDays({ db, company_id }: CompanyTx): Promise<number> {
  const company = await db.selectFrom('company').select('setting').where('id', '=', company_id).executeTakeFirstOrThrow()
  return parseStoredSettings(company).answer_within_days ?? defaultWageRules.answer_within_days
}

/** Changes the given settings and leaves the others. Locks the company's row. */
export async function saveWageSettings({ db, company_id }: CompanyTx, change: WageSettingsChange): Promise<void> {
  const { add_remind_day, clear_remind_day, add_remind_member, clear_remind_member, at, ...flags } = change
  const company = await db
    .selectFrom('company')
    .select('setting')
    .where('id', '=', company_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const stored = parseStoredSettings(company)
  const changes = Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => name in defaultWageRules && value !== undefined),
  )
  if (add_remind_member) await assertActiveMember({ db, company_id }, add_remind_member)
  const { auto_confirm_days: days } = flags
  const isNew =
    at !== undefined && days !== undefined && days !== (stored.auto_confirm_days ?? defaultWageRules.auto_confirm_days)
  const next: StoredWageSettings = {
    ...stored,
    ...changes,
    ...(isNew ? { auto_confirm_since: at.toISOString() } : {}),
    remind_days: updateList(stored.remind_days, add_remind_day, clear_remind_day).sort((a, b) => a - b),
    remind_members: updateList(stored.remind_members, add_remind_member, clear_remind_member),
  }
  await db
    .updateTable('company')
    .set({ setting: JSON.stringify(next) })
    .where('id', '=', company_id)
    .execute()
}

const updateList = <T>(list: readonly T[] = [], add: T | undefined, clear: T | undefined): T[] =>
  [...new Set(add === undefined ? list : [...list, add])].filter((entry) => entry !== clear)

async function assertActiveMember({ db, company_id }: CompanyTx, member_id: string): Promise<void> {
  const member = await db
    .selectFrom(memberView)
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .where('status', '<>', 'left')
    .executeTakeFirst()
  if (!member) throw fail('not_found', '没有找到这位员工，可能已经离职')
}
