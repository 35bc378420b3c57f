import { Button, type ButtonProps, Tooltip } from 'antd'
import { Icon, type IconName } from './icon.tsx'

const marks = { add: 'add', save: 'save', download: 'download', upload: 'import' } as const satisfies Record<string, IconName>

/** Spec §9: so long a popup stays after the pointer has left it. */
export const popupLeaveSeconds = 0.1

/**
 * A button, with one of the icons of the specification (`mark`; `loading` turns its own), that says why when it cannot be pressed.
 * `verdict` is what `can.withdraw(status)` and its kin answer: true, or the reason. It stays focusable, so that the reason can be
 * read with a keyboard too.
 */
export function Act({
  verdict = true,
  mark,
  onClick,
  ...rest
}: ButtonProps & { verdict?: true | string; mark?: keyof typeof marks }) {
  const all = mark ? { icon: <Icon name={marks[mark]} />, ...rest } : rest
  if (verdict === true) return <Button {...all} {...(onClick ? { onClick } : {})} />
  return (
    <Tooltip title={verdict} trigger={['hover', 'focus']} mouseLeaveDelay={popupLeaveSeconds}>
      <Button {...all} aria-disabled="true" className={`${rest.className ?? ''} ui-cannot`} />
    </Tooltip>
  )
}
