const PRECEDENCE = { '+': 1, '-': 1, '*': 2, '/': 2 }
const APPLY = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b }

/** The value of an expression with numbers, + - * / and brackets. Throws an Error for anything else. */
export function calculate(expression) {
  const tokens = expression.match(/\d+(\.\d+)?|[-+*/()]|\S/g) ?? []
  let at = 0
  const value = () => {
    const token = tokens[at++]
    if (token === '-') return -value()
    if (token === '(') {
      const inner = terms(1)
      if (tokens[at++] !== ')') throw new Error('A bracket is not closed.')
      return inner
    }
    if (token === undefined || !/^\d/.test(token)) throw new Error(`"${token ?? 'the end'}" is no number.`)
    return Number(token)
  }
  const terms = (least) => {
    let left = value()
    while (PRECEDENCE[tokens[at]] >= least) {
      const operator = tokens[at++]
      left = APPLY[operator](left, terms(PRECEDENCE[operator] + 1))
    }
    return left
  }
  const result = terms(1)
  if (at < tokens.length) throw new Error(`"${tokens[at]}" does not belong there.`)
  return result
}
