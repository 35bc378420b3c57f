import { Button, type ButtonProps, Tooltip } from 'antd'
import { Icon, type IconName } from './icon.tsx'

const actionIcons = { add: 'add', save: 'save', download: 'download', upload: 'import' } as const satisfies Record<
  string,
  IconName
>

/** Spec §9: so long a popup stays after the pointer has left it. */
export const popupLeaveSeconds = 0.1

/**
 * A button, with one of the icons of the specification (`actionIcon`; `loading` turns its own), that says why when it cannot be pressed.
 * `allowed` is what `can.withdraw(status)` and its kin answer: true, or the reason. It stays focusable, so that the reason can be
 * read with a keyboard too.
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
