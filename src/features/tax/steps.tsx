import periodStyles from './period/period.module.css'
import styles from './tax.module.css'

/** How an amount was calculated: each step in Chinese, with its legal source below. */
export const CalculationSteps = ({ steps }: { steps: readonly string[] }) => (
  <ol className={periodStyles.steps}>
    {steps.map((step) => (
      <CalculationStep key={step} step={step} />
    ))}
  </ol>
)

/** A step has the form `……；依据：……`. */
function CalculationStep({ step }: { step: string }) {
  const [formula = '', source] = step.split('；依据：')
  return (
    <li>
      {formula}
      {source && <small>依据：{source}</small>}
    </li>
  )
}

/** The same steps, collapsed. */
export function CollapsedSteps({ steps, title = '计算过程' }: { steps: readonly string[]; title?: string }) {
  if (steps.length === 0) return null
  return (
    <details className={styles.steps}>
      <summary>{title}</summary>
      <ol>
        {steps.map((step) => (
          <CalculationStep key={step} step={step} />
        ))}
      </ol>
    </details>
  )
}
