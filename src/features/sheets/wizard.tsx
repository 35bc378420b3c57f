import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import type { BatchStatus } from '../../../server/contract/shared/schemas.ts'
import { can } from '../../../server/contract/shared/statuses.ts'
import { getTitleInfo, insertCache } from '../../../server/contract/sheets/sheet.ts'
import { callApi, callQuery } from '../../api.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { Steps } from '../../components/page/steps.tsx'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { OnboardingHint } from '../company/home/hint.tsx'
import styles from './send.module.css'

const stepPaths = ['/wageSend1', '/check', '/wageSend2', '/wageSend3'] as const
/** The steps with a hint for first-time users; the layout step needs none because its preview explains it. */
const stepHints = ['upload', 'check', null, 'send'] as const
const stepNames = ['wageSend1', 'check', 'wageSend2', 'wageSend3'] as const

/** Stores the user's current step; null if nothing is left to do. Nothing on the page depends on the request. */
export const saveWizardStep = (wizard: { step: (typeof stepNames)[number]; batch_id: string } | null) =>
  void callApi(insertCache, { wizard }).catch(() => {
    // On failure, only the offer to continue is lost.
  })

export const sheetQuery = (batch_id: string) => callQuery(getTitleInfo, { batch_id })
export const useSheetQuery = (batch_id: string) => useQuery(sheetQuery(batch_id))

/** The frame of the four steps: step bar, title, content, and the actions at the bottom. */
export function WizardPage(props: {
  step: 0 | 1 | 2 | 3
  batch_id: string | undefined
  title: string
  note?: ReactNode
  action?: ReactNode
  foot?: ReactNode
  /** Hides the onboarding hint. */
  bare?: boolean
  children: ReactNode
}) {
  const { step, batch_id, bare: hidesHint = false } = props
  const navigate = useNavigate()
  const hint = hidesHint ? undefined : stepHints[step]
  return (
    <div className={`ui-page ${styles.root}`}>
      <Steps
        at={step}
        {...(batch_id
          ? { onGo: (to: number) => void navigate({ to: stepPaths[to] ?? '/wageSend1', search: { batch_id } }) }
          : {})}
      />
      <PageHeader title={props.title} note={props.note} help={hint && <OnboardingHint of={hint} />} action={props.action} />
      {props.children}
      {props.foot && <footer className={`${styles.foot} no-print`}>{props.foot}</footer>}
    </div>
  )
}

const getStepAccess = (step: 1 | 2 | 3, { status, unsent_count }: { status: BatchStatus; unsent_count: number }) =>
  step === 2 ? can.arrange(status) : step === 1 ? can.resolveIssues(status, unsent_count) : can.send(status, unsent_count)

/** Steps after the first require a batch that can still be edited. */
export function RequireBatch(props: {
  step: 1 | 2 | 3
  title: string
  batch_id: string | undefined
  children: (batch_id: string) => ReactNode
}) {
  const { step, title, batch_id } = props
  if (batch_id) return <RequireArrangeableBatch {...props} batch_id={batch_id} />
  return (
    <WizardPage step={step} batch_id={undefined} title={title} bare>
      <EmptyState
        text="还没有工资表，请先上传一份"
        action={
          <Link className="ui-button" to="/wageSend1">
            去上传
          </Link>
        }
      />
    </WizardPage>
  )
}

function RequireArrangeableBatch(props: {
  step: 1 | 2 | 3
  title: string
  batch_id: string
  children: (batch_id: string) => ReactNode
}) {
  const { step, title, batch_id, children } = props
  const sheet = useSheetQuery(batch_id)
  // The rest of a batch of which a part was sent is checked and sent; its columns and layout stay.
  const allowed = sheet.data ? getStepAccess(step, sheet.data) : null
  const hasTitle = sheet.data?.title != null
  // Stores the current step, so that 「继续上次」 leads here.
  useEffect(() => {
    const stepName = stepNames[step]
    if (allowed === true && hasTitle && stepName) saveWizardStep({ step: stepName, batch_id })
  }, [allowed, hasTitle, step, batch_id])
  if (allowed === true && hasTitle) return children(batch_id)
  return (
    <WizardPage step={step} batch_id={batch_id} title={title} bare>
      {allowed === true ? (
        <EmptyState
          text="这份工资表还没有填标题和月份"
          action={
            <Link className="ui-button" to="/wageSend1" search={{ batch_id }}>
              回到第 1 步
            </Link>
          }
        />
      ) : allowed ? (
        <AlreadySentNote batch_id={batch_id} why={allowed} />
      ) : sheet.error ? (
        <ErrorState error={sheet.error} retry={() => void sheet.refetch()} />
      ) : (
        <Skeleton rows={8} />
      )}
    </WizardPage>
  )
}

export const AlreadySentNote = ({ batch_id, why: reason }: { batch_id: string; why: string }) => (
  <EmptyState
    illustration="letter"
    text={reason}
    action={
      <Link className="ui-button" to="/SendSucc" search={{ batch_id }}>
        查看发送情况
      </Link>
    }
  />
)
