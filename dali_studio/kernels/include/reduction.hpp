// Functors of reductions: what is taken of each element, and how two results become one. A is the type of the result.
#pragma once
#include "rounding.hpp"

struct Itself {
  template <class A, class I> HD A operator()(I x) const { return (A)x; }
};
// Whole numbers are squared as such.
struct Square {
  template <class A, class I> HD A operator()(I x) const {
    if constexpr (same<I, f32>::value) return x * x;
    else if constexpr (same<I, u64>::value || same<I, u32>::value) return (A)((u64)x * (u64)x);
    else return (A)times((i64)x, (i64)x);
  }
};
struct SquaredDeviation {
  float mean;
  template <class A, class I> HD A operator()(I x) const {
    const A difference = (A)x - mean;
    return difference * difference;
  }
};

struct Sum {
  template <class A> static HD A neutral() { return 0; }
  template <class A> static HD A of(A a, A b) {
    if constexpr (same<A, f32>::value) return a + b;
    else return (A)((u64)a + (u64)b);
  }
};
// Not-a-number is less than nothing and greater than nothing.
struct Minimum {
  template <class A> static HD A neutral() {
    if constexpr (same<A, f32>::value) return 0x1.fffffep127f;
    else return (A)limits<A>::high;
  }
  template <class A> static HD A of(A a, A b) { return b < a ? b : a; }
};
struct Maximum {
  template <class A> static HD A neutral() {
    if constexpr (same<A, f32>::value) return -0x1.fffffep127f;
    else return (A)limits<A>::low;
  }
  template <class A> static HD A of(A a, A b) { return b > a ? b : a; }
};
