/**
 * Entry point for the wage settings, apart from ../index.ts so that a payslip loads neither registration nor the
 * dashboard (docs/decisions/20261123-use-narrow-module-entries.md).
 */
export {
  getAnswerDays,
  getAutoConfirmation,
  getBoundProvider,
  loadWageSettings,
  saveWageSettings,
  setBoundProvider,
  type WageSettings,
  type WageSettingsChange,
} from '../wage-settings.ts'
