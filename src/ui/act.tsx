import { Button, type ButtonProps, Tooltip } from 'antd'

/**
 * A button that says why when it cannot be pressed. `verdict` is what `can.withdraw(status)` and its kin answer: true, or the
 * reason. It stays focusable, so that the reason can be read with a keyboard too.
 */
export function Act({ verdict = true, onClick, ...rest }: ButtonProps & { verdict?: true | string }) {
  if (verdict === true) return <Button {...rest} {...(onClick ? { onClick } : {})} />
  return (
    <Tooltip title={verdict}>
      <Button {...rest} aria-disabled="true" className="ui-cannot" />
    </Tooltip>
  )
}
