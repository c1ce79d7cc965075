/* Printed by tools/coefficients.py; change that file, not this one. */
#ifndef GPUC_DEVMATH_COEFFICIENTS_H
#define GPUC_DEVMATH_COEFFICIENTS_H

/* Constants. A HI part of a logarithm leaves room for a product with an exponent. */
#define LOG2_EF_HI 0x1.715476p+0f
#define LOG2_EF_LO 0x1.4ae0c0p-26f
#define LOG2_10F 0x1.a934f0p+1f
#define LOG10_EF_HI 0x1.bcb7b2p-2f
#define LOG10_EF_LO -0x1.5b235ep-27f
#define LN2F_HI 0x1.62e400p-1f
#define LN2F_LO 0x1.7f7d1cp-20f
#define LOG10_2F_HI 0x1.344000p-2f
#define LOG10_2F_LO 0x1.3509f8p-18f
#define TWO_OVER_PIF 0x1.45f306p-1f
#define HALF_PIF_HI 0x1.921fb6p+0f
#define HALF_PIF_MID -0x1.777a5cp-25f
#define HALF_PIF_LO -0x1.ee59dap-50f
#define ONE_THIRDF_HI 0x1.555556p-2f
#define ONE_THIRDF_LO -0x1.555556p-27f
#define PIF_HI 0x1.921fb6p+1f
#define PIF_LO -0x1.777a5cp-24f
#define LOG2_E_HI 0x1.71547652b82fep+0
#define LOG2_E_LO 0x1.777d0ffda0d24p-56
#define LOG2_10 0x1.a934f0979a371p+1
#define LOG10_E_HI 0x1.bcb7b1526e50ep-2
#define LOG10_E_LO 0x1.95355baaafad3p-57
#define LN2_HI 0x1.62e42fefa4000p-1
#define LN2_LO -0x1.8432a1b0e2634p-43
#define LOG10_2_HI 0x1.34413509f8000p-2
#define LOG10_2_LO -0x1.80433b83b532ap-44
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_HI 0x1.921fb54442d18p+0
#define HALF_PI_MID 0x1.1a62633145c07p-54
#define HALF_PI_LO -0x1.f1976b7ed8fbcp-110
#define ONE_THIRD_HI 0x1.5555555555555p-2
#define ONE_THIRD_LO 0x1.5555555555555p-56
#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53

/* EXPF: |error| <= 2^-26.1 on [-0.347267, 0.347267]. */
#define EXPF_0 0x1.fffffep-2f
#define EXPF_1 0x1.5554a8p-3f
#define EXPF_2 0x1.555796p-5f
#define EXPF_3 0x1.122e2cp-7f
#define EXPF_4 0x1.6abf78p-10f

/* EXP2F: |error| <= 2^-27.5 on [-0.501, 0.501]. */
#define EXP2F_0 0x1.62e432p-1f
#define EXP2F_1 0x1.ebfbe6p-3f
#define EXP2F_2 0x1.c6ada8p-5f
#define EXP2F_3 0x1.3b21ccp-7f
#define EXP2F_4 0x1.5fbd02p-10f
#define EXP2F_5 0x1.4bdacep-13f

/* EXP10F: |error| <= 2^-29.2 on [-0.150816, 0.150816]. */
#define EXP10F_0 0x1.26bb1cp+1f
#define EXP10F_1 0x1.53524ep+1f
#define EXP10F_2 0x1.04705cp+1f
#define EXP10F_3 0x1.2bd4fap+0f
#define EXP10F_4 0x1.13e3b4p-1f
#define EXP10F_5 0x1.ab81aep-3f
#define EXP10F_6 0x1.6e0090p-4f

/* SINF: |error| <= 2^-27.9 on [0.0, 0.618085]. */
#define SINF_0 -0x1.555546p-3f
#define SINF_1 0x1.110774p-7f
#define SINF_2 -0x1.9951eap-13f

/* COSF: |error| <= 2^-33.0 on [0.0, 0.618085]. */
#define COSF_0 0x1.55554ap-5f
#define COSF_1 -0x1.6c0c28p-10f
#define COSF_2 0x1.99e80ap-16f

/* ATANF: |error| <= 2^-27.6 on [0.0, 1.0]. */
#define ATANF_0 -0x1.55553ep-2f
#define ATANF_1 0x1.9991e4p-3f
#define ATANF_2 -0x1.242084p-3f
#define ATANF_3 0x1.c08c16p-4f
#define ATANF_4 -0x1.5807f8p-4f
#define ATANF_5 0x1.da2428p-5f
#define ATANF_6 -0x1.fd6df8p-6f
#define ATANF_7 0x1.640e76p-7f
#define ATANF_8 -0x1.d3286cp-10f

/* ASINF: |error| <= 2^-27.6 on [0.0, 0.2505]. */
#define ASINF_0 0x1.5555cap-3f
#define ASINF_1 0x1.33015ep-4f
#define ASINF_2 0x1.748cbep-5f
#define ASINF_3 0x1.8b8df0p-6f
#define ASINF_4 0x1.59f95ep-5f

/* EXP: |error| <= 2^-61.5 on [-0.347267, 0.347267]. */
#define EXP_0 0x1.000000p-1
#define EXP_1 0x1.5555555555559p-3
#define EXP_2 0x1.5555555555548p-5
#define EXP_3 0x1.111111110f66cp-7
#define EXP_4 0x1.6c16c16c1f501p-10
#define EXP_5 0x1.a01a01b0083e2p-13
#define EXP_6 0x1.a01a016d28d93p-16
#define EXP_7 0x1.71ddf7d26b4bbp-19
#define EXP_8 0x1.27e569f66bee1p-22
#define EXP_9 0x1.af5fef0324f6dp-26
#define EXP_10 0x1.1e7ff42cd0a90p-29

/* EXP2: |error| <= 2^-58.6 on [-0.501, 0.501]. */
#define EXP2_0 0x1.62e42fefa39efp-1
#define EXP2_1 0x1.ebfbdff82c58ep-3
#define EXP2_2 0x1.c6b08d704a1c2p-5
#define EXP2_3 0x1.3b2ab6fba5264p-7
#define EXP2_4 0x1.5d87fe787a35bp-10
#define EXP2_5 0x1.430912f6dabcbp-13
#define EXP2_6 0x1.ffcbfd240fa05p-17
#define EXP2_7 0x1.62c02a310ba87p-20
#define EXP2_8 0x1.b5238b904e106p-24
#define EXP2_9 0x1.e4ac83bf743e0p-28
#define EXP2_10 0x1.ebdf181cf522fp-32
#define EXP2_11 0x1.fa9691a7efabap-36

/* EXP10: |error| <= 2^-58.1 on [-0.150816, 0.150816]. */
#define EXP10_0 0x1.26bb1bbb55516p+1
#define EXP10_1 0x1.53524c73cea6ap+1
#define EXP10_2 0x1.0470591de2b25p+1
#define EXP10_3 0x1.2bd7609fd8b95p+0
#define EXP10_4 0x1.1429ffd227c85p-1
#define EXP10_5 0x1.a7ed708bde6a5p-3
#define EXP10_6 0x1.16e4ded77186ap-4
#define EXP10_7 0x1.411696e9329dbp-6
#define EXP10_8 0x1.489a0664916e8p-8
#define EXP10_9 0x1.2eef97c7c46e2p-10
#define EXP10_10 0x1.f73c5655b772ep-13
#define EXP10_11 0x1.d40a5ef542d98p-16

/* SIN: |error| <= 2^-57.9 on [0.0, 0.618085]. */
#define SIN_0 -0x1.5555555555548p-3
#define SIN_1 0x1.111111110f731p-7
#define SIN_2 -0x1.a01a019be962ep-13
#define SIN_3 0x1.71de35557ba57p-19
#define SIN_4 -0x1.ae5e4bd15387fp-26
#define SIN_5 0x1.5d8b6f61fafd1p-33

/* COS: |error| <= 2^-63.9 on [0.0, 0.618085]. */
#define COS_0 0x1.555555555554bp-5
#define COS_1 -0x1.6c16c16c15005p-10
#define COS_2 0x1.a01a019c8c7d0p-16
#define COS_3 -0x1.27e4f7ef0cccbp-22
#define COS_4 0x1.1ee9d9c60c899p-29
#define COS_5 -0x1.8fa55347db28fp-37

/* ATAN: |error| <= 2^-59.9 on [0.0, 1.0]. */
#define ATAN_0 -0x1.555555555554dp-2
#define ATAN_1 0x1.9999999998c65p-3
#define ATAN_2 -0x1.2492492457696p-3
#define ATAN_3 0x1.c71c71b650b39p-4
#define ATAN_4 -0x1.745d15d2c7c14p-4
#define ATAN_5 0x1.3b139bebfd03dp-4
#define ATAN_6 -0x1.111033577c71ep-4
#define ATAN_7 0x1.e1d4925c223eap-5
#define ATAN_8 -0x1.aeda85c16e4fdp-5
#define ATAN_9 0x1.84b5085c924ecp-5
#define ATAN_10 -0x1.5f2625cacf2f5p-5
#define ATAN_11 0x1.3908c40c024fbp-5
#define ATAN_12 -0x1.0c9bd2ccb23c9p-5
#define ATAN_13 0x1.ac8d9e999c03bp-6
#define ATAN_14 -0x1.3111120ab3402p-6
#define ATAN_15 0x1.7302e77c9eba7p-7
#define ATAN_16 -0x1.7002e90418cb7p-8
#define ATAN_17 0x1.1a32e7b3ee186p-9
#define ATAN_18 -0x1.371691a11e3a7p-11
#define ATAN_19 0x1.b40ea2a780d30p-14
#define ATAN_20 -0x1.22ace2efed664p-17

/* ASIN: |error| <= 2^-59.8 on [0.0, 0.2505]. */
#define ASIN_0 0x1.5555555555578p-3
#define ASIN_1 0x1.333333332dee6p-4
#define ASIN_2 0x1.6db6db722f741p-5
#define ASIN_3 0x1.f1c71a897b41cp-6
#define ASIN_4 0x1.6e8be032590dap-6
#define ASIN_5 0x1.1c49d7a9818a2p-6
#define ASIN_6 0x1.ca21f399dd2f7p-7
#define ASIN_7 0x1.75713ebd15f2cp-7
#define ASIN_8 0x1.61b1d5928492fp-7
#define ASIN_9 0x1.ded5f968ae359p-9
#define ASIN_10 0x1.65d6322c4d009p-6
#define ASIN_11 -0x1.5b38933cf447ap-6
#define ASIN_12 0x1.0c4fb2bc9cffcp-5

/* LOG1PF: |error| <= 2^-30.0 on [-0.333333, 0.333333]. */
#define LOG1PF_0 -0x1.000000p-1f
#define LOG1PF_1 0x1.555556p-2f
#define LOG1PF_2 -0x1.ffff02p-3f
#define LOG1PF_3 0x1.99985ep-3f
#define LOG1PF_4 -0x1.559ba8p-3f
#define LOG1PF_5 0x1.24d7cep-3f
#define LOG1PF_6 -0x1.f33930p-4f
#define LOG1PF_7 0x1.bb3dc6p-4f
#define LOG1PF_8 -0x1.07cd2ep-3f
#define LOG1PF_9 0x1.e0a1a6p-4f

/* LOG: |error| <= 2^-59.5 on [0.0, 0.0294667]. */
#define LOG_0 0x1.5555555555593p-1
#define LOG_1 0x1.999999997f9d9p-2
#define LOG_2 0x1.249249422dcd8p-2
#define LOG_3 0x1.c71c51d384181p-3
#define LOG_4 0x1.74664ad807c8dp-3
#define LOG_5 0x1.39a070d6fc2a0p-3
#define LOG_6 0x1.2f13333af6c5bp-3

/* POW_LOGF: |error| <= 2^-36.8 on [0.0, 0.0294667]. */
#define POW_LOGF_0 0x1.999a00p-3f
#define POW_LOGF_1 0x1.245278p-3f
#define POW_LOGF_2 0x1.dfa3b6p-4f

/* POW_LOG: |error| <= 2^-73.5 on [0.0, 0.0294667]. */
#define POW_LOG_0 0x1.9999999999996p-3
#define POW_LOG_1 0x1.2492492492f54p-3
#define POW_LOG_2 0x1.c71c71c595f19p-4
#define POW_LOG_3 0x1.745d1829bae53p-4
#define POW_LOG_4 0x1.3b1364a94b965p-4
#define POW_LOG_5 0x1.112074a2609dcp-4
#define POW_LOG_6 0x1.de3c7d19b147fp-5
#define POW_LOG_7 0x1.eace46fe5426dp-5

/* ERFF: |error| <= 2^-29.3 on [0.0, 1.0]. */
#define ERFF_0 0x1.06eba8p-3f
#define ERFF_1 -0x1.81273ep-2f
#define ERFF_2 0x1.ce2ce6p-4f
#define ERFF_3 -0x1.b7f71ap-6f
#define ERFF_4 0x1.53f224p-8f
#define ERFF_5 -0x1.a35166p-11f
#define ERFF_6 0x1.477222p-14f

/* ERF_FARF: |error| <= 2^-29.6 on [1.0, 4.0]. */
#define ERF_FARF_0 0x1.66462ap-12f
#define ERF_FARF_1 0x1.2088e0p+0f
#define ERF_FARF_2 0x1.46bb10p-1f
#define ERF_FARF_3 0x1.a65244p-4f
#define ERF_FARF_4 -0x1.65c992p-6f
#define ERF_FARF_5 0x1.82573ep-9f
#define ERF_FARF_6 -0x1.86d7a8p-13f

/* ERF: |error| <= 2^-56.3 on [0.0, 1.0]. */
#define ERF_0 0x1.06eba8214db69p-3
#define ERF_1 -0x1.812746b037a25p-2
#define ERF_2 0x1.ce2f21a0458e0p-4
#define ERF_3 -0x1.b82ce31355182p-6
#define ERF_4 0x1.565bcd2c7a651p-8
#define ERF_5 -0x1.c02db93a6f935p-11
#define ERF_6 0x1.f9a3ba9507204p-14
#define ERF_7 -0x1.f4dd125a30942p-17
#define ERF_8 0x1.ba6b327c0dff5p-20
#define ERF_9 -0x1.63a6b5d699a03p-23
#define ERF_10 0x1.13ac26678ae31p-26
#define ERF_11 -0x1.c89be2b753fe4p-30
#define ERF_12 0x1.418fffa132abap-33

/* ERF_FAR: |error| <= 2^-59.3 on [1.0, 6.0]. */
#define ERF_FAR_0 0x1.81cae3e28dd75p-23
#define ERF_FAR_1 0x1.20dd562d89b04p+0
#define ERF_FAR_2 0x1.45f42b623aff0p-1
#define ERF_FAR_3 0x1.a4da4c7dacc37p-4
#define ERF_FAR_4 -0x1.38938d0471441p-6
#define ERF_FAR_5 -0x1.2620576aa49bcp-12
#define ERF_FAR_6 0x1.cfbc8cc8a00bbp-10
#define ERF_FAR_7 -0x1.502a623260a36p-11
#define ERF_FAR_8 0x1.7811f061dd94ap-15
#define ERF_FAR_9 0x1.271e6949f7da1p-14
#define ERF_FAR_10 -0x1.79c856a2ddc2fp-15
#define ERF_FAR_11 0x1.150b74de7fe45p-16
#define ERF_FAR_12 -0x1.225e39d8e79cep-18
#define ERF_FAR_13 0x1.c89f7b459e989p-21
#define ERF_FAR_14 -0x1.0deec3075f195p-23
#define ERF_FAR_15 0x1.d42da03878a6ep-27
#define ERF_FAR_16 -0x1.19ebeacf41d3cp-30
#define ERF_FAR_17 0x1.a5d45fe71c972p-35
#define ERF_FAR_18 -0x1.276a6fb34c11fp-40

/* Taylor coefficients of (1 - e)^(-1/3). */
#define CBRTF_1 0x1.555556p-2f
#define CBRTF_2 0x1.c71c72p-3f
#define CBRTF_3 0x1.61f9aep-3f

/* Taylor coefficients of (1 - e)^(-1/3). */
#define CBRT_1 0x1.5555555555555p-2
#define CBRT_2 0x1.c71c71c71c71cp-3
#define CBRT_3 0x1.61f9add3c0ca4p-3

/* CBRTF_START: |1 - x y^3| <= 0.115 for y from CBRTF_START - bits(x)/3. */
#define CBRTF_START 0x54a2aaaau

/* CBRT_START: |1 - x y^3| <= 0.115 for y from CBRT_START - bits(x)/3. */
#define CBRT_START 0x553f0000u

/* The bits of 2/pi after the binary point, after one word of zeros. */
#define TWO_OVER_PI_WORDF_1 0xa2f9836eu
#define TWO_OVER_PI_WORDF_2 0x4e441529u
#define TWO_OVER_PI_WORDF_3 0xfc2757d1u
#define TWO_OVER_PI_WORDF_4 0xf534ddc0u
#define TWO_OVER_PI_WORDF_5 0xdb629599u
#define TWO_OVER_PI_WORDF_6 0x3c439041u
#define TWO_OVER_PI_WORDF_7 0xfe5163abu

/* The bits of 2/pi after the binary point, after one word of zeros. */
#define TWO_OVER_PI_WORD_1 0xa2f9836e4e441529ull
#define TWO_OVER_PI_WORD_2 0xfc2757d1f534ddc0ull
#define TWO_OVER_PI_WORD_3 0xdb6295993c439041ull
#define TWO_OVER_PI_WORD_4 0xfe5163abdebbc561ull
#define TWO_OVER_PI_WORD_5 0xb7246e3a424dd2e0ull
#define TWO_OVER_PI_WORD_6 0x06492eea09d1921cull
#define TWO_OVER_PI_WORD_7 0xfe1deb1cb129a73eull
#define TWO_OVER_PI_WORD_8 0xe88235f52ebb4484ull
#define TWO_OVER_PI_WORD_9 0xe99c7026b45f7e41ull
#define TWO_OVER_PI_WORD_10 0x3991d639835339f4ull
#define TWO_OVER_PI_WORD_11 0x9c845f8bbdf9283bull
#define TWO_OVER_PI_WORD_12 0x1ff897ffde05980full
#define TWO_OVER_PI_WORD_13 0xef2f118b5a0a6d1full
#define TWO_OVER_PI_WORD_14 0x6d367ecf27cb09b7ull
#define TWO_OVER_PI_WORD_15 0x4f463f669e5fea2dull
#define TWO_OVER_PI_WORD_16 0x7527bac7ebe5f17bull
#define TWO_OVER_PI_WORD_17 0x3d0739f78a5292eaull
#define TWO_OVER_PI_WORD_18 0x6bfb5fb11f8d5d08ull
#define TWO_OVER_PI_WORD_19 0x56033046fc7b6babull

#endif
