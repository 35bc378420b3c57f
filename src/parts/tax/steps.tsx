/** How a figure came about, folded: each step in Chinese with the article that it rests on. */
export function FoldedSteps({ steps, title = '计算过程' }: { steps: readonly string[]; title?: string }) {
  if (steps.length === 0) return null
  return (
    <details className="tax-steps">
      <summary>{title}</summary>
      <ol>
        {steps.map((step) => {
          const [how = '', source] = step.split('；依据：')
          return (
            <li key={step}>
              {how}
              {source && <small>依据：{source}</small>}
            </li>
          )
        })}
      </ol>
    </details>
  )
}
