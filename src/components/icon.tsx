import './ui.css'

/** Line icons on a 24 px grid, in the text color. */
const iconPaths = {
  add: 'M12 5v14M5 12h14',
  arrow: 'm9 6 6 6-6 6',
  back: 'm15 6-6 6 6 6',
  bell: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 20a2 2 0 0 0 4 0',
  chart: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  check: 'm5 12 5 5L19 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  close: 'm6 6 12 12M18 6 6 18',
  company: 'M4 20V6l8-2v16M12 9l8 2v9M3 20h18M7 9h2M7 13h2M15 14h2',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  down: 'm6 9 6 6 6-6',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  edit: 'm4 20 1-4L16 5l3 3L8 19zM14 7l3 3',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  eyeoff: 'M4 4l16 16M9.5 5.3A9 9 0 0 1 12 5c6 0 10 7 10 7a17 17 0 0 1-3 3.600M6 7.500A16 16 0 0 0 2 12s4 7 10 7a9 9 0 0 0 4-1',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .9-1 1.700M12 17v.100',
  home: 'm4 11 8-7 8 7v9h-5v-6H9v6H4z',
  import: 'M12 15V4m-4 4 4-4 4 4M4 15v5h16v-5',
  letter: 'M3 6h18v12H3zM3 7l9 7 9-7',
  lock: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.010M12 12h.010M19 12h.010',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 20c0-4 3-6 7-6s7 2 7 6M16 3.500a4 4 0 0 1 0 7M18 14.500c2.500.7 4 2.500 4 5.500',
  phone: 'M7 3h10v18H7zM11 18h2',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.010',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  retry: 'M20 12a8 8 0 1 1-2.500-5.800M20 3v5h-5',
  save: 'M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 5 5',
  send: 'M21 3 3 10l7 3 3 7zM10 13 21 3',
  setting: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  shield: 'M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z',
  sheet: 'M5 3h9l5 5v13H5zM14 3v5h5M8 12h8M8 16h8',
  suggest: 'M4 5h16v12h-9l-4 4v-4H4zM8 10h8M8 13h5',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3-7 8-7s8 3 8 7',
  warn: 'M12 4 2.500 20h19zM12 10v4M12 17v.100',
}
export type IconName = keyof typeof iconPaths

/** Decoration next to a label. A button with only an icon carries an aria-label. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    style={{ flex: 'none' }}
  >
    <path d={iconPaths[name]} />
  </svg>
)
