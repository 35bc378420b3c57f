type WizardState = { step: 'wageSend1' | 'check' | 'wageSend2' | 'wageSend3'; batch_id: string }

/** Returns the wizard step at which an unsent batch continues: where the user left it, or the one that fits its status. */
export function getWizardPath(batch: { batch_id: string; status: string; title_id: string | null }, wizard: WizardState | null) {
  if (wizard?.batch_id === batch.batch_id) return `/${wizard.step}` as const
  if (batch.status === 'checked') return '/wageSend2'
  return batch.title_id ? '/check' : '/wageSend1'
}
