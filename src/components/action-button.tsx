import { Button, type ButtonProps, Tooltip } from 'antd'
import { Icon, type IconName } from './icon.tsx'

const actionIcons = { add: 'add', save: 'save', download: 'download', upload: 'import' } as const satisfies Record<
  string,
  IconName
>

/** How long a popup stays after the pointer has left it (spec §9). */
export const popupLeaveSeconds = 0.1

/**
 * A button with one of the icons of the specification (`actionIcon`; `loading` shows its own), which explains why it is
 * disabled. `allowed` is the result of `can.withdraw(status)` and similar checks: true, or the reason. It stays
 * focusable, so that the reason is accessible by keyboard.
 */
export function ActionButton({
  allowed = true,
  mark: actionIcon,
  onClick,
  ...rest
}: ButtonProps & { allowed?: true | string; mark?: keyof typeof actionIcons }) {
  const buttonProps = actionIcon ? { icon: <Icon name={actionIcons[actionIcon]} />, ...rest } : rest
  if (allowed === true) return <Button {...buttonProps} {...(onClick ? { onClick } : {})} />
  return (
    <Tooltip title={allowed} trigger={['hover', 'focus']} mouseLeaveDelay={popupLeaveSeconds}>
      <Button {...buttonProps} aria-disabled="true" className={`${rest.className ?? ''} ui-cannot`} />
    </Tooltip>
  )
}
