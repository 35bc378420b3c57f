import type { ReactNode } from 'react'
import { Icon } from '../icon.tsx'
import '../table/desktop.css'

export const sendSteps = ['上传', '核对', '排版', '发送'] as const

/** The step bar above a wizard. `at` counts from 0; with `onGo` the user can go back to completed steps, which are ticked. */
export function Steps(props: { at: number; names?: readonly string[]; onGo?: (step: number) => void }) {
  const { at: current, names = sendSteps, onGo: onNavigate } = props
  return (
    <ol className="ui-steps no-print" aria-label="步骤">
      {names.map((name, step) => (
        <li key={name} data-done={step < current || undefined} aria-current={step === current ? 'step' : undefined}>
          {onNavigate && step < current ? (
            <button type="button" onClick={() => onNavigate(step)}>
              <StepMark>
                <Icon name="check" size={14} />
              </StepMark>
              {name}
            </button>
          ) : (
            <span>
              <StepMark>{step < current ? <Icon name="check" size={14} /> : step + 1}</StepMark>
              {name}
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

const StepMark = ({ children }: { children: ReactNode }) => <i aria-hidden="true">{children}</i>
