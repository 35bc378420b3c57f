/** The most common passwords, which the server refuses and the strength meter of the pages names. */

const commonBases =
  'password passw0rd p@ssw0rd p@ssword admin root user test guest qwer qwerty qwertyuiop asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qazwsxedc abc abcd abcdef abcdefg abcabc aaa aaaaaa iloveyou woaini woaini1314 aini love lover letmein welcome monkey dragon sunshine princess football master shadow superman batman michael jordan pokemon killer charlie trustno1 hello hellohello login starwars computer internet xinhan gongzi gongzitiao nihao zhang wang wangyut2 li liu chen yang huang zhao wu zhou xu sun caonima woaiwojia company china beijing shanghai changeme default secret qq wechat weixin taobao alibaba'.split(
    ' ',
  )
const commonSuffixes =
  ' 1 12 123 1234 12345 123456 1234567 12345678 123456789 0 00 000 01 11 111 1111 22 222 321 520 521 5201314 1314 666 6666 888 8888 99 999 2020 2021 2022 2023 2024 2025 2026 ! !! @ @123 @1234 !@# # . a abc q qwe'.split(
    ' ',
  )
const commonPasswords = new Set(
  '1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc qaz123 qwe123 qweqwe asd123 asdasd zxc123 a123456 a12345678 a123456789 aa123456 aa123123 abc123456 q1w2e3r4 123qwe 123qweasd 123abc 123321 1234321 123123 123123123 112233 11223344 121212 131313 147258 147258369 159357 159753 258456 520520 5201314 5211314 1314520 13145200 147852 741852963 789456 789456123 888888 666666 987654321 0987654321 100200 101010 102030 110110 123654 135790 142536 147147 168168 200000 202020 232323 252525 456456 456789 518518 555666 654321 696969 741852 753951 789789 963852741 987654 998877 a1b2c3 a1b2c3d4 a1s2d3f4 zaq12wsx zaq1xsw2'.split(
    ' ',
  ),
)

const isCommonSuffix = (rest: string): boolean => commonSuffixes.includes(rest) || /^(\d)\1*$/.test(rest)

/**
 * Recognizes the few thousand most common passwords by families: words with the usual suffixes, repetitions, sequences,
 * keyboard walks, dates. Expects lower case.
 */
export function isCommonPassword(lowerCased: string): boolean {
  if (commonPasswords.has(lowerCased)) return true
  if (/^(.{1,4})\1+$/.test(lowerCased)) return true
  if ('01234567890123456789'.includes(lowerCased) || '98765432109876543210'.includes(lowerCased)) return true
  if (/^(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(lowerCased)) return true
  return commonBases.some((base) => lowerCased.startsWith(base) && isCommonSuffix(lowerCased.slice(base.length)))
}
