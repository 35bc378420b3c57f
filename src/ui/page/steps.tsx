import '../table/desk.css'

export const sendingSteps = ['上传', '核对', '排版', '发送'] as const

/** The slim bar over a wizard. `at` counts from 0; with `onGo` the steps already done can be gone back to. */
export function Steps(props: { at: number; names?: readonly string[]; onGo?: (step: number) => void }) {
  const { at, names = sendingSteps, onGo } = props
  return (
    <ol className="ui-steps no-print" aria-label="步骤">
      {names.map((name, step) => (
        <li key={name} data-done={step < at || undefined} aria-current={step === at ? 'step' : undefined}>
          {onGo && step < at ? (
            <button type="button" onClick={() => onGo(step)}>
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
