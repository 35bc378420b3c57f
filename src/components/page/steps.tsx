import '../table/desktop.css'

export const sendSteps = ['上传', '核对', '排版', '发送'] as const

/** The step bar above a wizard. `at` counts from 0; with `onGo` the user can go back to completed steps. */
export function Steps(props: { at: number; names?: readonly string[]; onGo?: (step: number) => void }) {
  const { at: current, names = sendSteps, onGo: onNavigate } = props
  return (
    <ol className="ui-steps no-print" aria-label="步骤">
      {names.map((name, step) => (
        <li key={name} data-done={step < current || undefined} aria-current={step === current ? 'step' : undefined}>
          {onNavigate && step < current ? (
            <button type="button" onClick={() => onNavigate(step)}>
              {step + 1} {name}
            </button>
          ) : (
            `${step + 1} ${name}`
          )}
        </li>
      ))}
    </ol>
  )
}
